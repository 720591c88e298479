using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration.Commands;

namespace Holdfast.Tests.Integration;

/// <summary>A queue's process that is killed within the server, which starts it again.</summary>
public sealed class QueueCrashTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public QueueCrashTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Whoever_consumes_it_is_told_and_what_was_held_comes_again(bool isOurs)
    {
        var queue = _vhost.NewQueue();
        await using var owner = _vhost.NewBroker(QueueType.Classic);
        await owner.SendAsync(queue, "a");
        await using var broker = isOurs ? _vhost.NewBroker(QueueType.Classic) : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var held = await receiver.TakeAsync();
        var waiting = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await CrashAsync(queue);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting);

        Assert.True(problem.IsTransient);
        Assert.Contains($"ended the consumer of {queue}", problem.Message);
        Assert.Equal(Renewal.Severed, await receiver.RenewAsync(held));
        Assert.False(await receiver.SettleAsync(held, Settlement.Complete, default));
        var again = await receiver.TakeAsync();
        Assert.Equal("a", again.Message.Id);
        await receiver.CompleteAsync(again);
        await _vhost.NothingIsLeftAsync(queue, receiver);
    }

    [Fact]
    public async Task All_that_it_holds_is_handled_though_some_of_it_was_in_hand()
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

        // It comes back with messages that it had not noted as acknowledged.
        await CrashAsync(queue);
        ended.SetResult();

        await consuming.DoneAsync(sent.Length);
        Assert.Equal(sent, consuming.Handled.Order());
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }

    [Fact]
    public async Task A_sweep_ends_and_moves_nothing_twice()
    {
        await using var pile = await Pile.MakeAsync(_vhost, QueueType.Classic);
        await pile.FillAsync(50);
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using (var sweep = await desk.SweepAsync(pile.Dead, pile.Queue, _ => null, rate: null, most: null, default))
        {
            await sweep.TakeAsync((await sweep.NextAsync(default))!, default);

            await CrashAsync(pile.Dead);
            await Eventually.HoldsAsync("the sweep to hear of it", async () => await Record.ExceptionAsync(async () => await sweep.NextAsync(default)) is BrokerException);

            var problem = await Assert.ThrowsAsync<BrokerException>(async () => await sweep.CommitAsync(default));
            Assert.Contains($"ended the consumer of {pile.Dead}", problem.Message);
        }

        Assert.Empty(await pile.TakeAllAsync(pile.Queue));
        Assert.Equal(50, (await pile.TakeAllAsync(pile.Dead)).Count);
    }

    private Task CrashAsync(string queue) => _vhost.OfQueueAsync(queue, "exit(amqqueue:get_pid(Q), kill)");
}
