using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// Pauses receiving while too many handlers fail. What is in hand is kept and handled on. After the pause one message is let through, the probe:
/// if it succeeds, all is as before; if it fails, the next pause is longer. Any thread.
/// </summary>
internal sealed class Breaker(BreakerOptions options, string queue, Clock clock, ILogger log)
{
    private readonly Lock _gate = new();
    private readonly RecentOutcomes _recent = new(options.Window);
    private Journey? _probe;
    private TimeSpan? _pausedUntil;
    private int _pauses;

    /// <summary>How many more messages it lets through.</summary>
    public int Room
    {
        get
        {
            lock (_gate)
                return _pausedUntil is not { } until ? int.MaxValue : clock.Now >= until && _probe is null ? 1 : 0;
        }
    }

    /// <summary>A message was taken.</summary>
    public void Enter(Journey journey)
    {
        lock (_gate)
        {
            if (clock.Now >= _pausedUntil)
                _probe ??= journey;
        }
    }

    /// <summary>A message's handler has come to its end. While receiving is paused only the probe's counts: the others were taken before.</summary>
    public void Report(Journey journey, bool hasFailed)
    {
        Action? tell = null;
        lock (_gate)
        {
            if (_pausedUntil is null)
                tell = Count(hasFailed);
            else if (journey == _probe)
                tell = hasFailed ? Pause("the one message that was let through to try failed too") : Resume();
        }

        // A log may block, and the lease thread looks for room in here.
        tell?.Invoke();
    }

    /// <summary>A message is out of our hands. A probe that never came to its end has told nothing, so that another one is needed.</summary>
    public void Leave(Journey journey)
    {
        lock (_gate)
        {
            if (_probe == journey)
                _probe = null;
        }
    }

    private Action? Count(bool hasFailed)
    {
        var now = clock.Now;
        _recent.Add(now, hasFailed);
        if (!hasFailed)
            return null;

        var (handled, failed) = _recent.Sum(now);
        return handled >= options.MinimumHandled && failed >= options.FailureRatio * handled
            ? Pause($"{failed} of the last {handled} messages failed")
            : null;
    }

    private Action Pause(string why)
    {
        var pause = Doubling.Of(options.Pause, _pauses++, options.MaxPause);
        (_pausedUntil, _probe) = (clock.Now + pause, null);
        return () => log.ReceivingPaused(queue, pause.TotalSeconds, why);
    }

    private Action Resume()
    {
        (_pausedUntil, _probe, _pauses) = (null, null, 0);
        _recent.Clear();
        return () => log.ReceivingResumed(queue);
    }
}
