using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration.Commands;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>A server that takes only small messages.</summary>
[Collection(nameof(OwnServer))]
public sealed class TooLargeTests : IClassFixture<VirtualHost>
{
    private const int Usual = 128 << 20;
    private const int Small = 1000;

    private readonly VirtualHost _vhost;

    public TooLargeTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task A_message_that_is_too_large_is_refused_for_good_and_no_other()
    {
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(_vhost.NewQueue(), default);
        await using var other = await broker.OpenSenderAsync(_vhost.NewQueue(), default);
        await AllowAsync(Small);
        try
        {
            var sendings = Port.Names(20).Select(id => Record.ExceptionAsync(() => sender.SendAsync(id)).AsTask()).ToArray();
            var large = Record.ExceptionAsync(() => sender.SendAsync(new Message { Id = "large", Body = new byte[Small + 1] })).AsTask();
            await Task.WhenAll(Port.Names(20).Select(id => other.SendAsync(id)));

            var refused = Assert.IsType<BrokerException>(await large);
            Assert.False(refused.IsTransient);
            Assert.Contains("max_message_size", refused.Message);
            Assert.All(await Task.WhenAll(sendings), problem => Assert.True(problem is null or BrokerException { IsTransient: true }, problem?.Message));
            await sender.SendAsync("next");

            var again = Record.ExceptionAsync(() => sender.SendAsync(new Message { Id = "large", Body = new byte[Small + 1] })).AsTask();
            await Task.WhenAll(Port.Names(20).Select(id => sender.SendAsync(id)));
            Assert.Equal(refused.Message, Assert.IsType<BrokerException>(await again).Message);
        }
        finally
        {
            await AllowAsync(Usual);
        }
    }

    [Fact]
    public async Task A_dead_letter_that_has_become_too_large_stays_and_all_others_are_replayed()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Quorum);
        await using (var connection = await _vhost.ConnectAsync())
        await using (var channel = await connection.CreateChannelAsync())
        {
            await channel.BasicPublishAsync("", pile.Dead, mandatory: true, new BasicProperties { MessageId = "large" }, new byte[Small + 1]);
            await channel.QueueDeclarePassiveAsync(pile.Dead);
        }

        await pile.FillAsync(600);
        await AllowAsync(Small);
        try
        {
            var (code, output, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

            Assert.Equal((1, $"Sent 600 of 601 dead letters seen to '{pile.Queue}'."), (code, Assert.Single(output)));
            Assert.StartsWith("1 can't be sent as they are, and stayed where they were: 'large'", Assert.Single(error));
        }
        finally
        {
            await AllowAsync(Usual);
        }

        await pile.HasAsync(pile.Queue, 600);
        await pile.HasAsync(pile.Dead, 1);
    }

    private async Task AllowAsync(int size) => await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, max_message_size, {size}).");
}
