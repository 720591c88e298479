using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>Servers that stop or crash in the midst of work, and come back.</summary>
[Collection(nameof(OwnServer))]
public sealed class RestartTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public RestartTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum, false)]
    [InlineData(QueueType.Classic, true)]
    public async Task When_the_server_is_back_everything_goes_on_and_each_repeat_is_a_counted_miss(QueueType type, bool crash)
    {
        var (queue, sent) = (_vhost.NewQueue(), Port.Names(300));
        await using var broker = _vhost.NewBroker(type);
        await broker.SendAsync(queue, sent);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var consuming = await Consuming.StartAsync(broker, queue, async (_, cancel) =>
        {
            await Task.Delay(50, cancel);
            return Settlement.Complete;
        });
        await consuming.HandledAsync(50);

        await (crash ? _vhost.Server.Node.KillAsync() : _vhost.Server.Node.StopAsync());
        await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync("x"));
        await _vhost.Server.Node.StartAsync();

        await consuming.HandledAsync(sent.Length);
        await sender.SendAsync("y");
        await consuming.DoneAsync(sent.Length + 1);
        consuming.Explains([.. sent, "y"]);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
