using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Connecting;

public sealed class IdleTests
{
    [Fact]
    public void A_peer_that_wants_to_hear_of_us_does_so_before_half_of_its_time()
    {
        var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = 9_000 });
        peer.NothingMore();
        Assert.Equal(TimeSpan.FromSeconds(3), peer.Connection.OnTick());
        peer.NothingMore();

        peer.Time.Advance(TimeSpan.FromSeconds(3));
        peer.Connection.OnTick();
        Assert.True(peer.NextIsBeat());
        Assert.Equal(TimeSpan.FromSeconds(3), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public void Where_something_was_said_there_is_no_need_for_a_beat()
    {
        var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = 9_000 });
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        _ = peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask();
        peer.Next<Begin>();
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public void A_peer_that_wants_nothing_hears_nothing()
    {
        foreach (var timeout in (uint?[])[null, 0])
        {
            var peer = PeerByHand.Opened(new Open { ContainerId = "peer", IdleTimeout = timeout });
            peer.Time.Advance(TimeSpan.FromSeconds(59));
            peer.Connection.OnTick();
            peer.NothingMore();
        }
    }

    [Fact]
    public void A_silent_peer_is_given_up_after_a_second_look()
    {
        var peer = PeerByHand.Opened();
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(TimeSpan.FromSeconds(6), peer.Connection.OnTick());
        Assert.False(peer.Connection.HangsUpOnceSent);

        peer.Time.Advance(TimeSpan.FromSeconds(6));
        peer.Connection.OnTick();
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, peer.Next<Close>().Error!.Condition);
        Assert.True(peer.Connection.HangsUpOnceSent);

        peer.Break(new IOException("hung up"));
        var told = Assert.Single(peer.Closed);
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, told.Condition);
        Assert.Contains("silent for 60 s", told.Message);
    }

    [Fact]
    public void Any_byte_is_a_sign_of_life()
    {
        var peer = PeerByHand.Opened();
        peer.Time.Advance(TimeSpan.FromSeconds(60));
        peer.Connection.OnTick();
        peer.SayBytes([0]);
        Assert.Equal(TimeSpan.FromSeconds(60), peer.Connection.OnTick());
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        peer.Connection.OnTick();
        Assert.False(peer.Connection.HangsUpOnceSent);
    }

    [Fact]
    public void Silence_that_is_our_own_counts_against_nobody()
    {
        var time = new Virtual.VirtualTime();
        var idle = new IdleWatch(time, TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(5));
        time.Advance(TimeSpan.FromSeconds(100));
        Assert.False(idle.IsPeerGone(inVain: false));
        Assert.False(idle.IsPeerGone(inVain: true));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(idle.IsPeerGone(inVain: true));
    }

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
    public async Task Where_no_answer_is_owed_the_peer_may_be_silent()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        peer.Connection.AwaitAnswer().Dispose();
        peer.Time.Advance(TimeSpan.FromSeconds(59));
        Assert.Equal(TimeSpan.FromSeconds(1), peer.Connection.OnTick());
        peer.NothingMore();
    }

    [Fact]
    public async Task A_question_that_cannot_leave_is_held_against_nobody_until_the_idle_time_out()
    {
        var (peer, _) = await PeerByHand.BegunAsync();
        using var answer = peer.Connection.AwaitAnswer();
        peer.Time.Advance(TimeSpan.FromSeconds(2));
        Stall(57);
        Assert.True(peer.Next<Flow>().Echo);
        peer.NothingMore();
        Assert.False(peer.Connection.HangsUpOnceSent);

        Stall(4);
        Assert.True(peer.Connection.HangsUpOnceSent);

        void Stall(int seconds)
        {
            for (var quarter = 0; quarter < seconds * 4; quarter++)
            {
                peer.Connection.OnStalled();
                peer.Time.Advance(TimeSpan.FromSeconds(0.25));
            }
        }
    }

    [Fact]
    public void A_question_has_to_wait_for_what_was_written_before_it()
    {
        var time = new Virtual.VirtualTime();
        var idle = new IdleWatch(time, TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(5));
        idle.NoteWaiting();
        idle.NoteWrite(640 * 1024);
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.True(idle.IsQuestionDue);
        idle.NoteQuestion();

        time.Advance(TimeSpan.FromSeconds(12.9));
        Assert.False(idle.IsPeerQuiet);
        time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.True(idle.IsPeerQuiet);
    }

    [Fact]
    public void What_the_peer_has_answered_to_is_not_under_way_any_more()
    {
        var time = new Virtual.VirtualTime();
        var idle = new IdleWatch(time, TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(5));
        idle.NoteWaiting();
        idle.NoteWrite(640 * 1024);
        idle.NoteRead();
        time.Advance(TimeSpan.FromSeconds(2));
        idle.NoteQuestion();

        time.Advance(TimeSpan.FromSeconds(3));

        Assert.True(idle.IsPeerQuiet);
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

    [Fact]
    public void Who_has_patience_without_end_gives_nobody_up()
    {
        var peer = PeerByHand.Opened(options: (time, closed) => new() { Host = "peer", Time = time, OnClosed = closed, IdleTimeout = TimeSpan.Zero });
        peer.Time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(TimeSpan.MaxValue, peer.Connection.OnTick());
    }
}
