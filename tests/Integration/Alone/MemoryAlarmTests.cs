namespace Holdfast.Tests.Integration;

/// <summary>A server that is short of memory: it takes nothing, and goes on handing out.</summary>
[Collection(nameof(Alone))]
public sealed class MemoryAlarmTests : IClassFixture<VirtualHost>
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);

    private readonly VirtualHost _vhost;

    public MemoryAlarmTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task While_the_server_takes_nothing_senders_are_told_and_what_is_there_is_handled()
    {
        var (queue, sent) = (_vhost.NewQueue(), Port.Names(20));
        await using var broker = _vhost.NewBroker();
        await broker.SendAsync(queue, sent);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var held = await receiver.TakeAsync();

        await WhileAlarmedAsync(sender, async () =>
        {
            var problem = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync("early"));
            Assert.Equal((true, true), (problem.IsTransient, problem.Message.Contains("memory")));
            for (var n = 0; n < sent.Length; n++)
                await receiver.CompleteAsync(await receiver.TakeAsync());

            // The answer comes after all that was sent before the question.
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        });

        await SentAsync(sender, "late");
        var late = await receiver.TakeAsync();
        Assert.Equal("late", late.Message.Id);
        await receiver.CompleteAsync(late);
        await receiver.CompleteAsync(held);
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    [Fact]
    public async Task A_message_that_can_not_be_sent_to_wait_stays_ours_until_it_can()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await sender.SendAsync("a");
        var held = await receiver.TakeAsync();

        await WhileAlarmedAsync(sender, async () =>
        {
            var problem = await Assert.ThrowsAsync<BrokerException>(
                () => receiver.SettleAsync(held, Settlement.Delay(TimeSpan.FromMilliseconds(10)), default).AsTask().WaitAsync(s_patience));
            Assert.True(problem.IsTransient);
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
        });

        await SentAsync(sender, "b");
        Assert.True(await receiver.SettleAsync(held, Settlement.Delay(TimeSpan.FromMilliseconds(10)), default));
        var rest = new[] { await receiver.TakeAsync(), await receiver.TakeAsync(), await receiver.TakeAsync() };
        Assert.Equal(["a", "b", "last"], rest.Select(delivery => delivery.Message.Id).Order());
    }

    private static Task SentAsync(ISender sender, string id) => Eventually.HoldsAsync("the server to take a message again", async () =>
    {
        try
        {
            await sender.SendAsync(id);
            return true;
        }
        catch (BrokerException problem) when (problem.IsTransient)
        {
            return false;
        }
    });

    private async Task WhileAlarmedAsync(ISender sender, Func<Task> act)
    {
        try
        {
            await RaiseAlarmAsync(sender);
            await act();
        }
        finally
        {
            await SetWatermarkAsync("0.4");
        }
    }

    // A connection is blocked once it sends, and what it sent then is still taken.
    private async Task RaiseAlarmAsync(ISender sender)
    {
        await SetWatermarkAsync("0.00001");
        await HasStateAsync(connections => connections.All(connection => connection.State == "blocking"));
        await sender.SendAsync("last");
        await HasStateAsync(connections => connections.Any(connection => connection.State == "blocked"));
    }

    private Task HasStateAsync(Func<IReadOnlyList<RabbitConnection>, bool> has) => Eventually.HoldsAsync(
        "the server to block connections",
        async () => await _vhost.Server.Management.ConnectionsAsync(_vhost.Name) is { Count: > 0 } connections && has(connections));

    private async Task SetWatermarkAsync(string part) => await _vhost.Server.Node.ControlAsync("set_vm_memory_high_watermark", part);
}
