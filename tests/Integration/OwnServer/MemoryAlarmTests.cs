using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>A server that is short of memory: it takes nothing, and goes on handing out.</summary>
[Collection(nameof(OwnServer))]
public sealed class MemoryAlarmTests : IClassFixture<VirtualHost>
{
    // What the server does not answer is not refused but stuck.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);

    private readonly VirtualHost _vhost;

    public MemoryAlarmTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task While_the_server_takes_nothing_what_is_there_is_handled_and_what_is_sent_is_refused_with_the_reason()
    {
        var (queue, sent) = (_vhost.NewQueue(), Port.Names(20));
        await using var broker = _vhost.NewBroker();
        await broker.SendAsync(queue, sent);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var held = await receiver.TakeAsync();

        try
        {
            await RaiseAlarmAsync(broker);
            await IsRefusedAsync(() => sender.SendAsync("late"));
            Assert.StartsWith("Nothing can be delayed or put aside: RabbitMQ at ", receiver.Obstacle, StringComparison.Ordinal);
            for (var n = 1; n < sent.Length; n++)
                await receiver.CompleteAsync(await receiver.TakeAsync());
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        }
        finally
        {
            await SetWatermarkAsync("0.4");
        }

        await Eventually.SucceedsAsync("the server to take messages again", () => sender.SendAsync("late"));
        Assert.Null(receiver.Obstacle);
        var late = await receiver.TakeAsync();
        Assert.Equal("late", late.Message.Id);
        await receiver.CompleteAsync(late);
        await receiver.CompleteAsync(held);
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    [Fact]
    public async Task A_message_that_can_not_be_put_aside_for_want_of_memory_is_still_held_and_put_aside_later()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await IsHeldUntilItCanBeSettledAsync(broker, queue, receiver, Settlement.DeadLetter("Bad", "No such article."));

        await using var dead = await broker.OpenReceiverAsync(queue + ".dead", default);
        await dead.CompleteAsync(await dead.TakeAsync());
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    [Fact]
    public async Task A_message_that_can_not_be_sent_to_wait_for_want_of_memory_is_still_held_and_waits_later()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await IsHeldUntilItCanBeSettledAsync(broker, queue, receiver, Settlement.Delay(TimeSpan.FromMilliseconds(10)));

        await receiver.CompleteAsync(await receiver.TakeAsync());
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    private async Task IsHeldUntilItCanBeSettledAsync(RabbitMqBroker broker, string queue, IReceiver receiver, Settlement settlement)
    {
        await broker.SendAsync(queue, "a");
        var held = await receiver.TakeAsync();
        try
        {
            await RaiseAlarmAsync(broker);
            await IsRefusedAsync(SettleAsync);
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        }
        finally
        {
            await SetWatermarkAsync("0.4");
        }

        await Eventually.SucceedsAsync("the message to be settled", SettleAsync);

        async Task SettleAsync() => Assert.True(await receiver.SettleAsync(held, settlement, default).AsTask().WaitAsync(s_patience));
    }

    private static async Task IsRefusedAsync(Func<Task> send)
    {
        var problem = await Assert.ThrowsAsync<BrokerException>(send);
        Assert.True(problem.IsTransient);
        Assert.Contains("memory", problem.Message);
    }

    // The server reads one more message from each connection before it stops reading, and only then tells it so.
    private async Task RaiseAlarmAsync(RabbitMqBroker broker)
    {
        await using var knocking = await broker.OpenSenderAsync(_vhost.NewQueue(), default);
        await SetWatermarkAsync("0.00001");
        await Eventually.HoldsAsync("the server to take nothing more", async () =>
        {
            using var cancel = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            try
            {
                await knocking.SendAsync(new Message { Id = "knock" }, TimeSpan.Zero, cancel.Token);
                return false;
            }
            catch (OperationCanceledException)
            {
                return false;
            }
            catch (BrokerException)
            {
                return true;
            }
        });
    }

    private async Task SetWatermarkAsync(string part) => await _vhost.Server.Node.ControlAsync("set_vm_memory_high_watermark", part);
}
