using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Sessions;

public sealed class SessionTests
{
    [Fact]
    public async Task Channels_are_taken_from_the_smallest_and_again_once_both_have_ended()
    {
        var peer = PeerByHand.Opened();
        var first = await peer.BeginAsync();
        var second = await peer.BeginAsync();
        Assert.Equal((0, 1), (first.Channel, second.Channel));

        var closing = first.CloseAsync(default).AsTask();
        peer.Next<End>();
        Assert.Equal(2, (await peer.BeginAsync()).Channel);
        Assert.False(closing.IsCompleted);
        peer.Say(new End(), channel: 0);
        await closing;
        Assert.Equal(0, (await peer.BeginAsync()).Channel);
    }

    [Fact]
    public async Task There_are_no_more_sessions_than_the_peer_allows()
    {
        var peer = PeerByHand.Opened(new Open { ContainerId = "peer", ChannelMax = 1 });
        await peer.BeginAsync();
        await peer.BeginAsync();
        var full = await Assert.ThrowsAsync<AmqpException>(() => peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask());
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, full.Condition);
    }

    [Fact]
    public async Task There_are_no_more_links_than_the_peer_allows()
    {
        var peer = PeerByHand.Opened();
        var opening = peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask();
        peer.Next<Begin>();
        peer.Say(new Begin { RemoteChannel = 0, NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1, HandleMax = 0 });
        var session = await opening;
        var first = Open(session, "one");
        peer.Next<Attach>();
        Assert.False(first.IsCompleted);
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, (await Assert.ThrowsAsync<AmqpException>(() => Open(session, "two"))).Condition);
        peer.NothingMore();
    }

    [Fact]
    public async Task Two_links_of_one_name_are_not_opened()
    {
        var (_, session) = await PeerByHand.BegunAsync();
        _ = Open(session, "one");
        Assert.Equal(ErrorConditions.IllegalState, (await Assert.ThrowsAsync<AmqpException>(() => Open(session, "one"))).Condition);
    }

    [Fact]
    public async Task A_link_that_says_more_of_itself_than_a_frame_of_the_peer_holds_is_not_opened_and_takes_no_place()
    {
        var (peer, session) = await PeerByHand.BegunAsync(open: new Open { ContainerId = "peer", MaxFrameSize = 512 });
        var properties = new AmqpFields { ["note"] = new string('x', 600) };
        var opening = session.OpenSenderAsync(new SenderOptions { Name = "one", Target = new Target { Address = "orders" }, Properties = properties }, default).AsTask();
        Assert.Equal(ErrorConditions.FrameSizeTooSmall, (await Assert.ThrowsAsync<AmqpException>(() => opening)).Condition);
        peer.NothingMore();

        _ = Open(session, "one");
        Assert.Equal(0u, peer.Next<Attach>().Handle);
    }

    [Fact]
    public async Task A_refused_link_says_why()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = Open(session, "one");
        peer.Next<Attach>();
        peer.Say(new Attach { Name = "one", Handle = 3, Role = Role.Receiver, Source = new Source() });
        Assert.False(opening.IsCompleted);
        peer.Say(new Detach { Handle = 3, Closed = true, Error = new AmqpError(ErrorConditions.NotFound, "no such queue") });
        var refused = await Assert.ThrowsAsync<AmqpException>(() => opening);
        Assert.Equal((ErrorConditions.NotFound, AmqpLevel.Link), (refused.Condition, refused.Level));
        Assert.True(peer.Next<Detach>().Closed);

        _ = Open(session, "one");
        Assert.Equal(0u, peer.Next<Attach>().Handle);
    }

    [Fact]
    public async Task One_to_receive_by_that_is_refused_says_why_too()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = session.OpenReceiverAsync(new ReceiverOptions { Name = "one", Source = new Source { Address = "orders" }, Credit = 5, OnDelivery = _ => { } }, default).AsTask();
        peer.Next<Attach>();
        peer.Say(new Attach { Name = "one", Handle = 3, Role = Role.Sender, Target = new Target(), InitialDeliveryCount = 0 });
        Assert.False(opening.IsCompleted);
        peer.NothingMore();
        peer.Say(new Detach { Handle = 3, Closed = true, Error = new AmqpError(ErrorConditions.NotFound, "no such queue") });
        Assert.Equal(ErrorConditions.NotFound, (await Assert.ThrowsAsync<AmqpException>(() => opening)).Condition);
    }

    [Fact]
    public async Task A_link_that_was_called_off_is_detached_when_its_answer_comes()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        using var cancel = new CancellationTokenSource();
        var opening = Open(session, "one", cancel.Token);
        peer.Next<Attach>();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        peer.NothingMore();

        Answer(peer, "one");
        Assert.True(peer.Next<Detach>().Closed);
        peer.Say(new Detach { Handle = 3, Closed = true });
        var again = Open(session, "one");
        Assert.Equal(0u, peer.Next<Attach>().Handle);
        Answer(peer, "one");
        await again;
    }

    [Fact]
    public async Task A_session_that_was_called_off_is_ended_when_its_answer_comes()
    {
        var peer = PeerByHand.Opened();
        using var cancel = new CancellationTokenSource();
        var opening = peer.Connection.OpenSessionAsync(new SessionOptions(), cancel.Token).AsTask();
        peer.Next<Begin>();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        peer.Say(new Begin { RemoteChannel = 0, NextOutgoingId = 0, IncomingWindow = 1, OutgoingWindow = 1 });
        peer.Next<End>();
        peer.Say(new End());
        Assert.Equal(0, (await peer.BeginAsync()).Channel);
    }

    [Fact]
    public async Task A_link_closes_when_the_peer_has_detached_too()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = Open(session, "one");
        peer.Next<Attach>();
        Answer(peer, "one");
        var sender = await opening;
        var closing = sender.CloseAsync(default).AsTask();
        Assert.Equal((0u, true), (peer.Next<Detach>().Handle, true));
        Assert.Null((await Assert.ThrowsAsync<AmqpException>(() => sender.SendAsync(default, 0, false, default).AsTask())).Condition);

        peer.Say(new Flow { NextIncomingId = 0, IncomingWindow = 9, NextOutgoingId = 0, OutgoingWindow = 9, Handle = 3, DeliveryCount = 0, LinkCredit = 5 });
        Assert.False(closing.IsCompleted);
        peer.Say(new Detach { Handle = 3, Closed = true });
        await closing;
        await sender.CloseAsync(default);
        peer.NothingMore();
    }

    [Fact]
    public async Task A_close_that_nobody_waits_for_any_more_still_ends_the_link()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = Open(session, "one");
        peer.Next<Attach>();
        Answer(peer, "one");
        var sender = await opening;
        using var cancel = new CancellationTokenSource();
        var closing = sender.CloseAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => closing);
        peer.Say(new Detach { Handle = 3, Closed = true });
        await sender.CloseAsync(default);
    }

    [Fact]
    public async Task What_the_peer_ends_it_ends_with_all_its_links()
    {
        var closed = new List<AmqpException>();
        var (peer, session) = await PeerByHand.BegunAsync(new SessionOptions { OnClosed = closed.Add });
        var opening = Open(session, "one");
        peer.Next<Attach>();
        peer.Say(new End(new AmqpError(ErrorConditions.WindowViolation, "too much")));
        peer.Next<End>();
        Assert.Equal(AmqpLevel.Session, (await Assert.ThrowsAsync<AmqpException>(() => opening)).Level);
        Assert.Equal("too much", Assert.Single(closed).Description);
        Assert.Equal("too much", (await Assert.ThrowsAsync<AmqpException>(() => Open(session, "two"))).Description);
        Assert.Null(peer.Connection.Failure);
        Assert.Equal(0, (await peer.BeginAsync()).Channel);
    }

    [Fact]
    public async Task What_the_peer_has_ended_is_not_ended_again()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        peer.Say(new End());
        peer.Next<End>();

        // Its channel may be another's by now.
        await peer.BeginAsync();
        await session.CloseAsync(default);
        peer.NothingMore();
    }

    [Fact]
    public async Task Our_own_close_is_told_to_nobody()
    {
        var (peer, session) = await PeerByHand.BegunAsync(new SessionOptions { OnClosed = _ => Assert.Fail("We did it ourselves.") });
        var closing = session.CloseAsync(default).AsTask();
        peer.Say(new End());
        await closing;
    }

    [Theory]
    [MemberData(nameof(Violations))]
    public async Task What_breaks_the_rules_of_a_session_ends_it(string what, object performative, string condition)
    {
        var closed = new List<AmqpException>();
        var (peer, session) = await PeerByHand.BegunAsync(new SessionOptions { OnClosed = closed.Add });
        peer.Say(performative);
        Assert.True(condition == peer.Next<End>().Error!.Condition.Value, what);
        Assert.Equal(condition, Assert.Single(closed).Condition!.Value.Value);
        Assert.False(closed[0].IsFromPeer);
        Assert.Null(peer.Connection.Failure);

        // What it sent before it heard of that is passed over.
        peer.Say(performative);
        peer.NothingMore();
        var closing = session.CloseAsync(default).AsTask();
        peer.Say(new End());
        await closing;
    }

    public static TheoryData<string, object, string> Violations => new()
    {
        { "unknown handle", new Transfer { Handle = 5, DeliveryId = 0, DeliveryTag = [1] }, "amqp:session:unattached-handle" },
        { "detach of nothing", new Detach { Handle = 5 }, "amqp:session:unattached-handle" },
        { "flow for nothing", new Flow { NextIncomingId = 0, IncomingWindow = 1, NextOutgoingId = 0, OutgoingWindow = 1, Handle = 5 }, "amqp:session:unattached-handle" },
        { "a link of its own", new Attach { Name = "x", Handle = 5, Role = Role.Sender, InitialDeliveryCount = 0 }, "amqp:not-allowed" },
        { "more than was sent", new Flow { NextIncomingId = 1, IncomingWindow = 1, NextOutgoingId = 0, OutgoingWindow = 1 }, "amqp:invalid-field" },
        { "a row backwards", new Disposition { Role = Role.Receiver, First = 5, Last = 4 }, "amqp:invalid-field" },
    };

    [Fact]
    public async Task More_frames_than_the_window_allows_end_the_session()
    {
        var (peer, session) = await PeerByHand.BegunAsync(new SessionOptions { IncomingWindow = 0 });
        peer.Say(new Transfer { Handle = 0, DeliveryId = 0, DeliveryTag = [1] });
        Assert.Equal(ErrorConditions.WindowViolation, peer.Next<End>().Error!.Condition);
        Assert.NotNull(session.Failure);
    }

    [Fact]
    public async Task A_handle_that_is_taken_twice_ends_the_session()
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        _ = Open(session, "one");
        _ = Open(session, "two");
        peer.Next<Attach>();
        peer.Next<Attach>();
        Answer(peer, "one");
        Answer(peer, "two");
        Assert.Equal(ErrorConditions.HandleInUse, peer.Next<End>().Error!.Condition);
    }

    [Fact]
    public async Task A_peer_that_has_not_seen_our_begin_frame_counts_from_nothing()
    {
        var (peer, session) = await PeerByHand.BegunAsync(window: 0);
        Assert.False(session.Windows.CanSend);
        peer.Say(new Flow { NextIncomingId = null, IncomingWindow = 1, NextOutgoingId = 0, OutgoingWindow = 1 });
        Assert.True(session.Windows.CanSend);
        Assert.Null(session.Failure);
    }

    [Theory]
    [InlineData("two", Role.Receiver)]
    [InlineData("one", Role.Sender)]
    public async Task An_answer_to_what_nobody_asked_is_not_taken_for_one_to_a_link_that_is_being_opened(string name, Role role)
    {
        var (peer, session) = await PeerByHand.BegunAsync();
        var opening = Open(session, "one");
        peer.Next<Attach>();
        peer.Say(new Attach { Name = name, Handle = 3, Role = role, Source = new Source(), Target = new Target(), InitialDeliveryCount = 0 });
        Assert.Equal(ErrorConditions.NotAllowed, peer.Next<End>().Error!.Condition);
        await Assert.ThrowsAsync<AmqpException>(() => opening);
    }

    [Fact]
    public async Task The_peer_may_take_the_last_handle_of_a_session_and_none_beyond_it()
    {
        var (peer, session) = await PeerByHand.BegunAsync(new SessionOptions { HandleMax = 3 });
        var opening = Open(session, "one");
        _ = Open(session, "two");
        peer.Next<Attach>();
        peer.Next<Attach>();
        Answer(peer, "one", handle: 3);
        await opening;

        Answer(peer, "two", handle: 4);
        Assert.Equal(ErrorConditions.FramingError, peer.Next<Close>().Error!.Condition);
    }

    private static Task<AmqpSender> Open(AmqpSession session, string name, CancellationToken cancel = default) =>
        session.OpenSenderAsync(new SenderOptions { Name = name, Target = new Target { Address = "orders" } }, cancel).AsTask();

    private static void Answer(PeerByHand peer, string name, uint handle = 3) =>
        peer.Say(new Attach { Name = name, Handle = handle, Role = Role.Receiver, Source = new Source(), Target = new Target() });
}
