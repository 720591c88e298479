using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>What one settlement's sending leaves in metrics and traces. On whatever thread runs the journey.</summary>
internal readonly struct SettlementTrail(QueueMeter meter, Activity? span, Clock clock, int weight)
{
    private readonly TimeSpan _asked = clock.Now;

    public void Answered()
    {
        if (weight > 0)
            meter.Settling.Done(clock.Now - _asked, span, weight);
        span.End(meter.OfEngine);
    }

    public void Failed(Exception problem)
    {
        meter.Settling.Failed(problem, clock.Now - _asked, span);
        span.End(meter.OfEngine, problem);
    }
}
