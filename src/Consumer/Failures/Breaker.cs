using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// Pauses receiving while too many handlers fail. What is in hand is kept and handled on. After the pause one message is let through, the probe:
/// if it succeeds, all is as before; if it fails or is put off, the next pause is longer; if it has told nothing for as long as the pause was, another one is let through,
/// for one handler that hangs must not shut the queue. Any thread.
/// </summary>
internal sealed class Breaker(BreakerOptions options, string queue, Clock clock, ILogger log)
{
    private readonly Lock _gate = new();
    private readonly RecentOutcomes _recent = new(options.Window);

    // Each with when it was let through.
    private readonly Dictionary<Journey, TimeSpan> _probes = [];
    private TimeSpan? _nextProbeAt;
    private TimeSpan _pausedAt;
    private TimeSpan _pausedUntil;
    private TimeSpan _resumedAt = TimeSpan.MinValue;
    private TimeSpan _pause;
    private int _pauses;

    /// <summary>How many more messages it lets through.</summary>
    public int Room
    {
        get
        {
            lock (_gate)
                return _nextProbeAt is not { } next ? int.MaxValue : clock.Now >= next ? 1 : 0;
        }
    }

    /// <summary>A message was taken.</summary>
    public void Enter(Journey journey)
    {
        lock (_gate)
        {
            var now = clock.Now;
            if (now < _nextProbeAt || _nextProbeAt is null)
                return;

            _probes.Add(journey, now);
            _nextProbeAt = now + _pause;
        }
    }

    /// <summary>A message's handler has come to its end. While receiving is paused only a probe's counts, and later only what came after the pause: the others were taken before.</summary>
    public void Report(Journey journey, HandlerOutcome outcome)
    {
        Action? tell = null;
        lock (_gate)
        {
            if (_nextProbeAt is null)
                tell = journey.Lease.Since < _resumedAt ? null : Count(outcome);
            else if (_probes.Remove(journey, out var begun))
                tell = Judge(outcome, begun);
        }

        // A log may block, and the lease thread looks for room in here.
        tell?.Invoke();
    }

    /// <summary>A message is out of our hands. A probe that never came to its end has told nothing, so that another one is needed.</summary>
    public void Leave(Journey journey)
    {
        lock (_gate)
        {
            if (_probes.Remove(journey) && _probes.Count == 0)
                _nextProbeAt = _pausedUntil;
        }
    }

    private Action? Count(HandlerOutcome outcome)
    {
        if (outcome == HandlerOutcome.PutOff)
            return null;

        var now = clock.Now;
        var hasFailed = outcome == HandlerOutcome.Failed;
        _recent.Add(now, hasFailed);
        if (!hasFailed)
            return null;

        var (handled, failed) = _recent.Sum(now);
        return handled >= options.MinimumHandled && failed >= options.FailureRatio * handled
            ? Pause($"{failed} of the last {handled} messages failed")
            : null;
    }

    // Whoever puts messages off, because what he needs is not there, must not have more of them. But of probes that are under way
    // together the first that fails tells of the same trouble as the others: it alone makes the pause longer.
    private Action? Judge(HandlerOutcome ofProbe, TimeSpan begun) => ofProbe switch
    {
        HandlerOutcome.Handled => Resume(),
        _ when begun <= _pausedAt => null,
        HandlerOutcome.Failed => Pause("a message that was let through to try failed too"),
        _ => Pause("a message that was let through to try was put off"),
    };

    private Action Pause(string why)
    {
        var pause = Doubling.Of(options.Pause, _pauses++, options.MaxPause);
        _pause = pause;
        _pausedAt = clock.Now;
        _nextProbeAt = _pausedUntil = _pausedAt + pause;
        return () => log.ReceivingPaused(queue, pause.TotalSeconds, why);
    }

    private Action Resume()
    {
        (_nextProbeAt, _pauses, _resumedAt) = (null, 0, clock.Now);
        _probes.Clear();
        _recent.Clear();
        return () => log.ReceivingResumed(queue);
    }
}
