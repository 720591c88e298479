using Holdfast.Amqp;
using Holdfast.Tests.Unit.Amqp.Links;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

/// <summary>A peer that says nothing while its answer is awaited.</summary>
public sealed class SilenceTests
{
    [Fact]
    public async Task A_peer_that_owes_an_answer_and_says_nothing_is_asked_for_a_sign_of_life_and_given_up_after_a_second_look()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        peer.Time.Advance(TimeSpan.FromSeconds(10));
        using var answer = peer.Connection.AwaitAnswer();
        Assert.Equal(TimeSpan.FromSeconds(2), peer.Connection.OnTick());
        peer.NothingMore();

        peer.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(TimeSpan.FromSeconds(3), peer.Connection.OnTick());
        Assert.True(peer.Next<Flow>() is { Echo: true, Handle: null });

        peer.Time.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(TimeSpan.FromSeconds(0.3), peer.Connection.OnTick());
        peer.NothingMore();
        peer.Time.Advance(TimeSpan.FromSeconds(0.3));
        peer.Connection.OnTick();

        peer.Next<Close>();
        Assert.True(peer.Connection.HangsUpOnceSent);
        peer.Break(new IOException("hung up"));
        Assert.Contains("silent for 3 s, though it was asked for a sign of life", Assert.Single(peer.Closed).Message);
    }

    [Fact]
    public async Task Who_waits_for_an_answer_wakes_the_writer_though_nothing_can_be_sent()
    {
        var link = await SenderByHand.OpenAsync();
        var connection = link.Peer.Connection;
        link.Peer.NothingMore();
        Assert.Equal(TimeSpan.FromSeconds(60), connection.OnTick());

        using var answer = connection.AwaitAnswer();
        _ = link.SendAsync(10);
        link.Peer.NothingMore();

        Assert.True(connection.IsWriterWanted);
        Assert.Equal(TimeSpan.FromSeconds(2), connection.OnTick());
        Assert.False(connection.IsWriterWanted);
    }

    [Fact]
    public async Task A_second_who_waits_need_not_wake_the_writer()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        using var answer = peer.Connection.AwaitAnswer();
        peer.Connection.OnTick();

        using var another = peer.Connection.AwaitAnswer();

        Assert.False(peer.Connection.IsWriterWanted);
    }

    [Fact]
    public async Task A_peer_that_is_slow_to_answer_but_gives_signs_of_life_is_not_given_up()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        using var answer = peer.Connection.AwaitAnswer();
        for (var time = 0; time < 10; time++)
        {
            peer.Time.Advance(TimeSpan.FromSeconds(2));
            peer.Connection.OnTick();
            Assert.True(peer.Next<Flow>().Echo);
            peer.Time.Advance(TimeSpan.FromSeconds(2.9));
            peer.Connection.OnTick();
            peer.SayBytes([0, 0, 0, 8, 2, 0, 0, 0]);
        }

        Assert.False(peer.Connection.HangsUpOnceSent);
    }

    [Fact]
    public async Task Where_answers_have_no_time_of_their_own_nobody_is_asked_for_a_sign_of_life()
    {
        var peer = PeerByHand.Opened(options: (time, closed) => new() { Host = "peer", Time = time, OnClosed = closed, AnswerTimeout = TimeSpan.Zero });
        await peer.BeginAsync();
        using var answer = peer.Connection.AwaitAnswer();
        peer.Time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal(TimeSpan.FromSeconds(50), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public async Task Where_no_answer_is_owed_the_peer_may_be_silent()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        peer.Connection.AwaitAnswer().Dispose();
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public async Task A_peer_that_neither_takes_nor_says_anything_is_given_up_though_the_question_cannot_leave()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        using var answer = peer.Connection.AwaitAnswer();
        peer.Time.Advance(TimeSpan.FromSeconds(2));

        Stall(peer, 3);
        Assert.False(peer.Connection.HangsUpOnceSent);
        Stall(peer, 1);

        Assert.True(peer.Connection.HangsUpOnceSent);
        Assert.True(peer.Next<Flow>().Echo);
        peer.Next<Close>();
    }

    [Fact]
    public async Task What_the_peer_takes_after_all_speaks_for_it_until_the_idle_time_out()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        using var answer = peer.Connection.AwaitAnswer();
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        for (var time = 0; time < 29; time++)
        {
            Stall(peer, 2);
            peer.Connection.OnResumed();
        }

        Assert.False(peer.Connection.HangsUpOnceSent);
        Stall(peer, 7);
        Assert.True(peer.Connection.HangsUpOnceSent);
    }

    [Fact]
    public void A_question_has_to_wait_for_what_was_written_before_it()
    {
        var (time, idle) = Watch();
        idle.NoteWaiting();
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.True(idle.IsQuestionDue);
        idle.NoteWrite(640 * 1024);
        idle.NoteQuestion();

        time.Advance(TimeSpan.FromSeconds(12.9));
        Assert.False(idle.IsPeerQuiet);
        time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.True(idle.IsPeerQuiet);
    }

    [Fact]
    public void What_is_read_tells_nothing_of_what_is_under_way()
    {
        var (time, idle) = Watch();
        idle.NoteWaiting();
        idle.NoteWrite(640 * 1024);
        idle.NoteRead();
        time.Advance(TimeSpan.FromSeconds(2));
        idle.NoteQuestion();

        time.Advance(TimeSpan.FromSeconds(10.9));
        Assert.False(idle.IsPeerQuiet);
        time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.True(idle.IsPeerQuiet);
    }

    [Fact]
    public void What_was_written_long_ago_or_after_the_question_prolongs_nothing()
    {
        var (time, idle) = Watch();
        idle.NoteWrite(640 * 1024);
        time.Advance(TimeSpan.FromSeconds(10));
        idle.NoteWaiting();
        idle.NoteQuestion();
        idle.NoteWrite(640 * 1024);

        time.Advance(TimeSpan.FromSeconds(3));

        Assert.True(idle.IsPeerQuiet);
    }

    [Fact]
    public void Who_sends_much_is_not_asked_to_wait_without_end()
    {
        var (time, idle) = Watch();
        idle.NoteWaiting();
        for (var i = 0; i < 100; i++)
            idle.NoteWrite(1024 * 1024);
        idle.NoteQuestion();

        time.Advance(TimeSpan.FromSeconds(19));

        Assert.True(idle.IsPeerQuiet);
    }

    [Fact]
    public void A_question_that_comes_late_in_a_long_silence_has_its_own_time()
    {
        var (time, idle) = Watch();
        time.Advance(TimeSpan.FromSeconds(70));
        idle.NoteWaiting();
        idle.NoteQuestion();

        Assert.False(idle.IsPeerGone(inVain: true));
        time.Advance(TimeSpan.FromSeconds(3));
        Assert.False(idle.IsPeerGone(inVain: true));
        time.Advance(TimeSpan.FromSeconds(3));
        Assert.True(idle.IsPeerGone(inVain: true));
    }

    [Fact]
    public void While_something_is_there_to_be_read_the_writer_looks_now_and_then_and_not_all_the_time()
    {
        var (time, idle) = Watch();
        time.Advance(TimeSpan.FromSeconds(60));
        for (var look = 0; look < 3; look++)
        {
            Assert.False(idle.IsPeerGone(inVain: false));
            Assert.Equal(TimeSpan.FromSeconds(6), idle.UntilDue);
            time.Advance(TimeSpan.FromSeconds(6));
        }

        // It is never given up after one look in vain.
        Assert.False(idle.IsPeerGone(inVain: true));
        time.Advance(TimeSpan.FromSeconds(6));
        Assert.True(idle.IsPeerGone(inVain: true));
    }

    [Fact]
    public void Before_there_is_anything_to_ask_by_nobody_is_given_up()
    {
        var peer = PeerByHand.Opened();
        using var answer = peer.Connection.AwaitAnswer();
        for (var time = 0; time < 5; time++)
        {
            peer.Time.Advance(TimeSpan.FromSeconds(2));
            Assert.Equal(TimeSpan.FromSeconds(2), peer.Connection.OnTick());
        }

        peer.NothingMore();
        Assert.False(peer.Connection.HangsUpOnceSent);
    }

    private static (Virtual.VirtualTime Time, IdleWatch Idle) Watch()
    {
        var time = new Virtual.VirtualTime();
        return (time, new IdleWatch(time, TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(5)));
    }

    private static void Stall(PeerByHand peer, int seconds)
    {
        for (var quarter = 0; quarter < seconds * 4; quarter++)
        {
            peer.Connection.OnStalled();
            peer.Time.Advance(TimeSpan.FromSeconds(0.25));
        }
    }
}
