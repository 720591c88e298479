using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Says how many more messages may begin: a bucket that time fills. It limits what is taken, so that no lease is spent on waiting. Any thread.</summary>
internal sealed class RateLimit
{
    private const double BurstSeconds = 0.25;

    // What binary fractions lose must not cost a message its turn.
    private const double Rounding = 1e-6;

    private readonly Lock _gate = new();
    private readonly Clock _clock;
    private readonly double _perSecond;
    private readonly double _burst;
    private double _left;
    private TimeSpan _filledAt;

    public RateLimit(RateLimitOptions options, Clock clock)
    {
        (_clock, _perSecond) = (clock, options.PerSecond);
        _burst = options.Burst ?? Math.Max(1, Math.Ceiling(_perSecond * BurstSeconds));
        (_left, _filledAt) = (_burst, clock.Now);
    }

    public int Room
    {
        get
        {
            lock (_gate)
            {
                Fill();
                return (int)Math.Clamp(_left + Rounding, 0, _burst);
            }
        }
    }

    /// <summary>A message was taken.</summary>
    public void Enter()
    {
        lock (_gate)
        {
            Fill();
            _left--;
        }
    }

    private void Fill()
    {
        var now = _clock.Now;
        var left = _left + ((now - _filledAt).TotalSeconds * _perSecond);

        // Beyond a burst nothing is saved up, but for what has come together of the next message: dropped at each look, it would cost a slow limit a part of its rate.
        _left = Math.Min(left, _burst + (left % 1));
        _filledAt = now;
    }
}
