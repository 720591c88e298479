using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>A queue's process that is killed within the server.</summary>
[Collection(nameof(Alone))]
public sealed class QueueCrashTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public QueueCrashTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task A_consumer_that_the_server_ends_is_opened_again_and_nothing_is_lost()
    {
        var (queue, sent, begun, ended) = (_vhost.NewQueue(), Port.Names(40), 0, new TaskCompletionSource());
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await broker.SendAsync(queue, sent);
        await using var consuming = await Consuming.StartAsync(broker, queue, async (_, cancel) =>
        {
            if (Interlocked.Increment(ref begun) > 4)
                await ended.Task.WaitAsync(cancel);
            return Settlement.Complete;
        }, options => options.MaxConcurrency = 4);
        await consuming.HandledAsync(4);

        // The queue's process crashes: its consumers are cancelled, and the server starts it again, with messages that it had not noted as acknowledged.
        await _vhost.Server.Node.ControlAsync(
            "eval", $"{{ok, Q}} = rabbit_amqqueue:lookup(rabbit_misc:r(<<\"{_vhost.Name}\">>, queue, <<\"{queue}\">>)), exit(amqqueue:get_pid(Q), kill).");
        ended.SetResult();

        await consuming.DoneAsync(sent.Length);
        Assert.Equal(sent, consuming.Handled.Order());
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
