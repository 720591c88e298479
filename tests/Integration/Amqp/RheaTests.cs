using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

public sealed class RheaTests
{
    [Fact]
    public async Task A_message_that_is_sent_is_received_and_settled_by_both()
    {
        await using var peer = await AmqpPeer.StartRheaAsync();
        var session = await Peers.OpenAsync(Peers.Options(peer.Port));
        var sender = await session.SenderAsync("orders");
        Assert.IsType<Accepted>(await sender.SendAsync("hello"u8.ToArray()));

        var inbox = await Inbox.OpenAsync(session, "orders", credit: 10);
        var delivery = await inbox.TakeAsync();
        Assert.Equal("hello"u8.ToArray(), Inbox.Body(delivery));
        Assert.IsType<Accepted>(await inbox.SettleAsync(delivery, Accepted.Instance));
        Assert.True(delivery.IsSettled);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_message_of_two_megabytes_travels_both_ways()
    {
        await using var peer = await AmqpPeer.StartRheaAsync();
        var session = await Peers.OpenAsync(Peers.Options(peer.Port));
        var sender = await session.SenderAsync("orders");
        var body = new byte[2_000_000];
        Random.Shared.NextBytes(body);
        Assert.IsType<Accepted>(await sender.SendAsync(body));

        var inbox = await Inbox.OpenAsync(session, "orders", credit: 10);
        Assert.Equal(body, Inbox.Body(await inbox.TakeAsync()));
        await session.Connection.CloseAsync(default);
    }
}
