using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>A peer that all tests of a class share.</summary>
public sealed class SharedRhea : IAsyncLifetime
{
    private AmqpPeer? _peer;

    public AmqpPeer Peer
    {
        get
        {
            RabbitServer.Need(AmqpPeer.WhyNoRhea);
            return _peer!;
        }
    }

    // Small frames, so that a large message takes many, and a demand to hear from us each second.
    public async ValueTask InitializeAsync() =>
        _peer = AmqpPeer.WhyNoRhea is null ? await AmqpPeer.StartRheaAsync("--max-frame-size", "8192", "--idle-time-out", "1000") : null;

    public async ValueTask DisposeAsync()
    {
        if (_peer is not null)
            await _peer.DisposeAsync();
    }
}

public sealed class RheaTests(SharedRhea rhea) : Interoperation, IClassFixture<SharedRhea>
{
    [Fact]
    public async Task A_link_to_nowhere_is_refused_with_the_peers_reason()
    {
        var session = await OpenAsync();
        foreach (var opening in (Task[])[session.SenderAsync("missing"), Inbox.OpenAsync(session, "missing")])
        {
            var refused = await Assert.ThrowsAsync<AmqpException>(() => opening);
            Assert.Equal((AmqpLevel.Link, ErrorConditions.NotFound, "there is no such queue"), (refused.Level, refused.Condition, refused.Description));
        }

        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_message_that_the_peer_rejects_is_told_with_the_reason()
    {
        var session = await OpenAsync();
        var sender = await session.SenderAsync("rejecting");
        var rejected = Assert.IsType<Rejected>(await sender.SendAsync("x"u8.ToArray()));
        Assert.Equal(("amqp:not-allowed", "this queue takes nothing"), (rejected.Error!.Condition.Value, rejected.Error.Description));
        await session.Connection.CloseAsync(default);
    }

    [Theory]
    [InlineData("close-links", AmqpLevel.Link, "amqp:link:detach-forced")]
    [InlineData("close-session", AmqpLevel.Session, "amqp:resource-deleted")]
    [InlineData("close-connection", AmqpLevel.Connection, "amqp:connection:forced")]
    [InlineData("cut", AmqpLevel.Connection, null)]
    public async Task Whatever_the_peer_ends_is_told_once_with_its_level_and_reason(string order, AmqpLevel level, string? condition)
    {
        var session = await OpenAsync();
        var inbox = await Inbox.OpenAsync(session, await NewQueueAsync(), credit: 5);
        var control = await session.SenderAsync("control");
        using var writer = new AmqpWriter();
        new AmqpMessage { Body = new ValueBody(order) }.Encode(writer);
        await control.SendEncodedAsync(writer.ToArray(), settled: true);

        var why = await inbox.Closed.Task.WaitAsync(Peers.Patience);
        Assert.Equal((level, condition), (why.Level, why.Condition?.Value));
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_link_that_is_answered_late_and_was_called_off_is_detached()
    {
        var session = await OpenAsync();
        using var cancel = new CancellationTokenSource();
        var options = new ReceiverOptions { Source = new Source { Address = "withheld" }, OnDelivery = _ => { } };
        var opening = session.OpenReceiverAsync(options, cancel.Token).AsTask();
        var control = await session.SenderAsync("withheld");
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);

        // The message makes the peer answer; the next link by that name finds it still there only if the first was detached.
        await control.SendAsync("now"u8.ToArray());
        var inbox = await Inbox.OpenAsync(session, await NewQueueAsync());
        Assert.Null(session.Failure);
        await inbox.Receiver.CloseAsync(default);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_peer_that_freezes_is_given_up_when_it_has_been_silent_for_long_enough()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var frozen = await AmqpPeer.StartRheaAsync();
        var session = await Peers.OpenAsync(Peers.Options(frozen.Port, idleTimeout: TimeSpan.FromSeconds(1)));
        var inbox = await Inbox.OpenAsync(session, "orders");
        var control = await session.SenderAsync("control");
        using var writer = new AmqpWriter();
        new AmqpMessage { Body = new ValueBody("freeze") }.Encode(writer);
        await control.SendEncodedAsync(writer.ToArray(), settled: true);
        var why = await inbox.Closed.Task.WaitAsync(Peers.Patience);
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, why.Condition);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_peer_that_takes_nothing_any_more_is_given_up_even_while_something_is_being_written()
    {
        const int Size = 1_000_000;
        await using var proxy = new TcpProxy("127.0.0.1", rhea.Peer.Port);
        var session = await Peers.OpenAsync(Peers.Options(proxy.Port, idleTimeout: TimeSpan.FromSeconds(1)));
        var inbox = await Inbox.OpenAsync(session, await NewQueueAsync());
        var sender = await session.SenderAsync(await NewQueueAsync());
        await sender.SendAsync([1]);

        // More than the system's buffers on the way take.
        proxy.Stall(Traffic.BothWays);
        var sending = Enumerable.Range(0, 50).Select(_ => sender.SendAsync(new byte[Size])).ToArray();
        var why = await inbox.Closed.Task.WaitAsync(Peers.Patience);
        Assert.Equal(ErrorConditions.ResourceLimitExceeded, why.Condition);
        foreach (var send in sending)
            await Assert.ThrowsAsync<AmqpException>(() => send);
        await session.Connection.CloseAsync(default);
    }

    private protected override Task<AmqpSession> OpenAsync(TimeSpan? idleTimeout = null) => Peers.OpenAsync(Peers.Options(rhea.Peer.Port, idleTimeout));
}
