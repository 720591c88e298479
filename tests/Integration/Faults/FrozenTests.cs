using System.Text.RegularExpressions;

namespace Holdfast.Tests.Integration;

/// <summary>A worker whose process stands still for so long that the server gives it up.</summary>
public sealed class FrozenTests : IClassFixture<VirtualHost>
{
    private const int Messages = 8;

    private readonly VirtualHost _vhost;

    public FrozenTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task What_it_finds_in_its_socket_when_it_goes_on_it_leaves_to_those_who_have_it_now()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        using var worker = WorkerProcess.Start(_vhost.Uri, queue, ("Worker__RabbitMq__Heartbeat", "4s"), ("Worker__RabbitMq__Declare", "true"), ("Worker__Demo__Produce", "0"), ("Worker__Demo__IoMilliseconds", "0"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };
        await Eventually.HoldsAsync("the worker to consume", async () => (await _vhost.QueueAsync(queue))?.Consumers == 1);

        await worker.SignalAsync("STOP");
        await broker.SendAsync(queue, [.. Enumerable.Range(0, Messages).Select(n => $"{n}")]);
        await Eventually.HoldsAsync("a message to be on its way to it", async () => await _vhost.WaitingAsync(queue) < Messages);
        await Eventually.HoldsAsync("the server to give it up", async () => (await _vhost.QueueAsync(queue))?.Consumers == 0);
        await using var other = await broker.OpenReceiverAsync(queue, default);
        for (var n = 0; n < Messages; n++)
            await other.CompleteAsync(await other.TakeAsync());
        await worker.SignalAsync("CONT");
        await Eventually.HoldsAsync("the worker to consume again", async () => (await _vhost.QueueAsync(queue))?.Consumers == 2);

        var metrics = await page.GetStringAsync("metrics");
        Assert.Matches(new Regex("^holdfast_messages_received_total\\{.*\\} 0$", RegexOptions.Multiline), metrics);
        Assert.DoesNotMatch(new Regex("^holdfast_lease_misses_total\\{.*\\} [1-9]", RegexOptions.Multiline), metrics);
        await worker.TerminateAsync();
        await worker.EndAsync();
        await _vhost.NothingIsLeftAsync(queue, other, broker);
    }
}
