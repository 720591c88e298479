using Holdfast.Consumer;

namespace Holdfast.Worker.Prometheus;

/// <summary>
/// Keeps a process that has lost leases since it was last scraped up for one more scrape: what it counted last would otherwise never be seen.
/// Where nobody scrapes, or everything was seen, it ends at once.
/// </summary>
internal sealed class LastScrape(IEngine engine, TimeProvider time) : IHostedService
{
    /// <summary>However far apart scrapes are, nobody waits for the next one longer.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(15);

    // A scrape may come a little later than the one before it.
    private const double Patience = 1.5;

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long? _servedAt;
    private TimeSpan? _apart;
    private long _missesSeen;
    private bool _isAwaited;

    /// <summary>How many there are: a scrape that begins now shows as many, or more.</summary>
    public long Misses => engine.Status.Queues.Sum(queue => queue.Misses);

    /// <summary>A scrape has been answered, which began when there were so many misses.</summary>
    public void Served(long misses)
    {
        lock (_gate)
        {
            var now = time.GetTimestamp();
            _apart = _servedAt is { } before ? time.GetElapsedTime(before, now) : null;
            _servedAt = now;
            _missesSeen = misses;
            if (_isAwaited && misses == Misses)
                _seen.TrySetResult();
        }
    }

    // After the drain, and before the management port is closed.
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (PatienceForNext() is not { } patience)
            return;

        using var inTime = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await Task.WhenAny(_seen.Task, Task.Delay(patience, time, inTime.Token));
        await inTime.CancelAsync();
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private TimeSpan? PatienceForNext()
    {
        lock (_gate)
        {
            _isAwaited = true;
            return _apart is { } apart && _missesSeen < Misses ? TimeSpan.FromTicks(Math.Min((apart * Patience).Ticks, Longest.Ticks)) : null;
        }
    }
}
