using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>A message that the server took, and can't hand out: its management API takes header names that are longer than AMQP can write.</summary>
public sealed class UndeliverableTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public UndeliverableTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task It_is_told_and_once_it_is_removed_what_lay_behind_it_is_handled(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using var other = _vhost.NewBroker(type);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await _vhost.Server.Management.PublishAsync(_vhost.Name, queue, new Dictionary<string, object> { [new string('x', 256)] = 1 });
        await sender.SendAsync("a");
        await sender.SendAsync("b");

        await using (var cut = await Consuming.StartAsync(other, queue, (_, _) => ValueTask.FromResult(Settlement.Complete)))
        {
            await Eventually.HoldsAsync("the trouble to be told", () => cut.Queue.Problem?.Contains("a message that the server can't hand out", StringComparison.Ordinal) == true);
            Assert.Empty(cut.Handled);
        }

        // While nobody consumes, it is the first.
        await Eventually.HoldsAsync("all to be back in the queue", async () => await _vhost.WaitingAsync(queue) == 3);
        Assert.True(await _vhost.Server.Management.RemoveFirstAsync(_vhost.Name, queue));
        await using var consuming = await Consuming.StartAsync(broker, queue, (_, _) => ValueTask.FromResult(Settlement.Complete));
        await consuming.DoneAsync(2);

        consuming.Explains(["a", "b"]);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
