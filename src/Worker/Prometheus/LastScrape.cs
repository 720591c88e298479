using Holdfast.Consumer;

namespace Holdfast.Worker.Prometheus;

/// <summary>
/// Keeps a process that cost leases by stopping up for one more scrape: what it counted last would otherwise never be seen.
/// Where nobody scrapes, or nothing was lost, it ends at once.
/// </summary>
internal sealed class LastScrape(IEngine engine, TimeProvider time) : IHostedLifecycleService
{
    /// <summary>However far apart scrapes are, nobody waits for the next one longer.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(15);

    // A scrape may come a little later than the one before it.
    private const double Patience = 1.5;

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long? _servedAt;
    private TimeSpan? _apart;
    private bool _isAwaited;
    private long _missesBefore;

    private long Misses => engine.Status.Queues.Sum(queue => queue.Misses);

    /// <summary>A scrape has been answered.</summary>
    public void Served()
    {
        lock (_gate)
        {
            var now = time.GetTimestamp();
            _apart = _servedAt is { } before ? time.GetElapsedTime(before, now) : null;
            _servedAt = now;
            if (_isAwaited)
                _seen.TrySetResult();
        }
    }

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        _missesBefore = Misses;
        return Task.CompletedTask;
    }

    // After the drain, and before the management port is closed.
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (Misses == _missesBefore || PatienceForNext() is not { } patience)
            return;

        using var inTime = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await Task.WhenAny(_seen.Task, Task.Delay(patience, time, inTime.Token));
        await inTime.CancelAsync();
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private TimeSpan? PatienceForNext()
    {
        lock (_gate)
        {
            _isAwaited = true;
            return _apart is { } apart ? TimeSpan.FromTicks(Math.Min((apart * Patience).Ticks, Longest.Ticks)) : null;
        }
    }
}
