using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>Notes what each thread of a worker takes up, and what waited meanwhile. On the thread that takes it.</summary>
internal sealed class LaneWatch(EventLog log, int life) : ILaneObserver
{
    private readonly List<(Admission Admission, int Room, int Limit)> _told = [];

    public LaneScheduler? Lanes { get; set; }

    public void Follow(Admission admission) => _told.Add((admission, -1, -1));

    public void Waited(Lane lane, TimeSpan wait, int weight)
    {
        for (var queue = 0; queue < _told.Count; queue++)
            Tell(queue, _told[queue].Admission);
        log.Add(EventKind.TurnBegun, life, a: (long)lane, b: ((long)Lanes!.Queued(Lane.Lease) << 32) | (uint)Lanes.Queued(Lane.Process));
    }

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

    private void Tell(int queue, Admission admission)
    {
        var now = (admission, admission.Room, admission.Limit);
        if (_told[queue] == now)
            return;

        _told[queue] = now;
        log.Add(EventKind.Room, life, a: now.Room, b: now.Limit, queue: queue);
    }
}
