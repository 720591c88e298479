using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>Connections that end in the midst of work.</summary>
public sealed class CutTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public CutTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum, true)]
    [InlineData(QueueType.Quorum, false)]
    [InlineData(QueueType.Classic, true)]
    public async Task When_the_network_cuts_connections_every_message_is_still_handled_and_each_repeat_is_a_counted_miss(QueueType type, bool reset)
    {
        await using var proxy = _vhost.Server.NewProxy();
        await WorkThroughAsync(type, proxy.Port, () =>
        {
            proxy.Cut(reset);
            return Task.CompletedTask;
        });
    }

    [Fact]
    public async Task When_the_server_closes_connections_every_message_is_still_handled_and_each_repeat_is_a_counted_miss()
    {
        await using var proxy = _vhost.Server.NewProxy();
        await WorkThroughAsync(QueueType.Quorum, proxy.Port, async () =>
        {
            var before = proxy.Accepted;
            await _vhost.CloseConnectionsUntilAsync("a connection to be opened anew", () => proxy.Accepted > before, "receiving");
        });
    }

    private async Task WorkThroughAsync(QueueType type, int port, Func<Task> strike)
    {
        var (queue, sent) = (_vhost.NewQueue(), Port.Names(300));
        await using (var direct = _vhost.NewBroker(type))
            await direct.SendAsync(queue, sent);

        await using var broker = _vhost.NewBroker(type, port);
        await using var consuming = await Consuming.StartAsync(broker, queue, async (_, cancel) =>
        {
            await Task.Delay(20, cancel);
            return Settlement.Complete;
        });

        foreach (var count in new[] { 50, 125, 200 })
        {
            await consuming.HandledAsync(count);
            await strike();
        }

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
