using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

public sealed class CutPathTests
{
    [Fact]
    public async Task A_send_that_the_peer_gives_no_credit_for_finds_out_that_the_path_is_cut()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync("--credit", "0");
        await using var proxy = new TcpProxy("127.0.0.1", peer.Port);
        var session = await Peers.OpenAsync(Peers.Options(proxy.Port));
        var sender = await session.SenderAsync("orders");

        proxy.Swallow(Traffic.BothWays);
        using var answer = session.Connection.AwaitAnswer();
        var cut = await Assert.ThrowsAsync<AmqpException>(() => sender.SendAsync("x"u8.ToArray()));

        Assert.Contains("though it was asked for a sign of life", cut.Message, StringComparison.Ordinal);
    }
}
