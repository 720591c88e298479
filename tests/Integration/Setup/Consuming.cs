using System.Collections.Concurrent;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration;

/// <summary>The whole engine on one queue, as a .NET host embeds it, and what its handler saw.</summary>
internal sealed class Consuming : IAsyncDisposable
{
    private readonly ConcurrentDictionary<string, int> _runs = new();
    private readonly IHost _host;
    private bool _isDisposed;

    private Consuming(IBroker broker, string queue, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.ClearProviders();
        builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => broker).Handle(queue, HandleAsync, configure);
        _host = builder.Build();

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            var settlement = await handle(message, cancel);
            _runs.AddOrUpdate(message.Id, 1, (_, runs) => runs + 1);
            return settlement;
        }
    }

    public EngineStatus Engine => _host.Services.GetRequiredService<IEngine>().Status;

    public QueueStatus Queue => Engine.Queues[0];

    /// <summary>The messages that were handled to the end at least once.</summary>
    public IReadOnlyCollection<string> Handled => [.. _runs.Keys];

    /// <summary>How many runs there were beyond one for each message.</summary>
    public int Repeats => _runs.Values.Sum(runs => runs - 1);

    public static async Task<Consuming> StartAsync(
        IBroker broker, string queue, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null)
    {
        var consuming = new Consuming(broker, queue, handle, configure ?? (_ => { }));
        await consuming._host.StartAsync();
        return consuming;
    }

    /// <summary>Waits until so many messages were handled to the end.</summary>
    public Task HandledAsync(int count) =>
        Eventually.HoldsAsync(() => $"{count} messages to be handled; {_runs.Count} were, and it stands thus: {Queue}", () => Task.FromResult(_runs.Count >= count));

    /// <summary>Waits until that, and until nothing is in hand.</summary>
    public async Task DoneAsync(int count)
    {
        await HandledAsync(count);
        await Eventually.HoldsAsync("nothing to be in hand", () => Queue is { LeasesHeld: 0, SlotsUsed: 0 });
    }

    /// <summary>Each message was handled; and where one was twice, a miss was counted for it.</summary>
    public void Explains(IEnumerable<string> sent)
    {
        Assert.Equal(sent.Order(), Handled.Order());
        Assert.InRange(Repeats, 0, Queue.Misses);
    }

    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
            return;

        _isDisposed = true;
        await _host.StopAsync();
        _host.Dispose();
    }
}
