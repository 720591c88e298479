using Holdfast.Consumer;

namespace Holdfast.Worker.Prometheus;

/// <summary>
/// Keeps a process that has lost leases, or whose drain timed out, since it was last scraped up for one more scrape: what it counted last would otherwise never be seen.
/// Where nobody scrapes, or everything was seen, it ends at once.
/// </summary>
internal sealed class LastScrape(IEngine engine, HoldfastMeter meter, TimeProvider time) : IHostedService
{
    /// <summary>However far apart scrapes are, nobody waits for the next one longer.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(15);

    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _scrapes;
    private long _troublesSeen;
    private bool _isAwaited;

    /// <summary>How many misses and drains that timed out there are: a drain can time out, and its handlers still come to their end before they are given back.</summary>
    public long Troubles => engine.Status.Queues.Sum(queue => queue.Misses) + meter.DrainTimeouts;

    /// <summary>A scrape has been answered, and taken, which began when there were so many of them.</summary>
    public void Served(long troubles)
    {
        lock (_gate)
        {
            _scrapes++;
            _troublesSeen = Math.Max(_troublesSeen, troubles);
            if (_isAwaited && _troublesSeen >= Troubles)
                _seen.TrySetResult();
        }
    }

    // After the drain, and before the management port is closed.
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (!IsAwaited())
            return;

        using var inTime = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await Task.WhenAny(_seen.Task, Task.Delay(Longest, time, inTime.Token));
        await inTime.CancelAsync();
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // Whoever came twice comes again. When can't be told from the times before: there may be several, and a busy machine has them come late.
    private bool IsAwaited()
    {
        lock (_gate)
        {
            _isAwaited = true;
            return _scrapes > 1 && _troublesSeen < Troubles;
        }
    }
}
