using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>Notes what each thread of a worker takes up, and what waited meanwhile. On the thread that takes it.</summary>
internal sealed class LaneWatch(EventLog log, int life) : ILaneObserver
{
    public LaneScheduler? Lanes { get; set; }

    public void Waited(Lane lane, TimeSpan wait, int weight) =>
        log.Add(EventKind.TurnBegun, life, a: (long)lane, b: ((long)Lanes!.Queued(Lane.Lease) << 32) | (uint)Lanes.Queued(Lane.Process));

    public void Ran(Lane lane, TimeSpan turn, int weight)
    {
    }

    public void FoundLong(TurnReport turn)
    {
    }

    public void FoundBlocked(TurnReport turn, StandIn standIn)
    {
    }

    public void FoundScarce(int blocked, StandIn bound)
    {
    }

    public void FoundStandstill(Standstill standstill)
    {
    }
}
