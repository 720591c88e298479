namespace Holdfast.Tests.Integration;

/// <summary>A server that is short of memory: it takes nothing, and goes on handing out.</summary>
[Collection(nameof(Alone))]
public sealed class MemoryAlarmTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public MemoryAlarmTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task While_the_server_takes_nothing_what_is_there_is_handled_and_what_is_sent_waits()
    {
        var (queue, sent) = (_vhost.NewQueue(), Port.Names(20));
        await using var broker = _vhost.NewBroker();
        await broker.SendAsync(queue, sent);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var held = await receiver.TakeAsync();

        Task sending;
        try
        {
            await RaiseAlarmAsync();
            sending = sender.SendAsync("late");
            for (var n = 1; n < sent.Length; n++)
                await receiver.CompleteAsync(await receiver.TakeAsync());

            // The answer comes after all that was sent before the question.
            Assert.Equal(Renewal.Renewed, await receiver.RenewAsync(held));
            Assert.False(sending.IsCompleted);
        }
        finally
        {
            await SetWatermarkAsync("0.4");
        }

        await sending;
        var late = await receiver.TakeAsync();
        Assert.Equal("late", late.Message.Id);
        await receiver.CompleteAsync(late);
        await receiver.CompleteAsync(held);
        await _vhost.NothingIsLeftAsync(queue, receiver, broker);
    }

    [Fact]
    public async Task A_send_that_the_server_holds_up_can_be_called_off()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(queue, default);

        try
        {
            await RaiseAlarmAsync();
            using var cancel = new CancellationTokenSource(TimeSpan.FromSeconds(1));
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, cancel.Token).AsTask());
        }
        finally
        {
            await SetWatermarkAsync("0.4");
        }

        await sender.SendAsync("b");
    }

    private async Task RaiseAlarmAsync()
    {
        await SetWatermarkAsync("0.00001");
        await Eventually.HoldsAsync("the server to take nothing more", async () =>
            (await _vhost.Server.Management.ConnectionsAsync(_vhost.Name)) is { Count: > 0 } connections && connections.All(connection => connection.State == "blocking"));
    }

    private async Task SetWatermarkAsync(string part) => await _vhost.Server.Node.ControlAsync("set_vm_memory_high_watermark", part);
}
