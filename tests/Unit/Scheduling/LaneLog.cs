using System.Collections.Concurrent;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Keeps what an observer is told, and can be waited for.</summary>
internal sealed class LaneLog : ILaneObserver
{
    public bool WantsEach { get; set; }

    public List<(Lane Lane, TimeSpan Wait, int Weight)> Waits { get; } = [];

    public List<(Lane Lane, TimeSpan Turn, int Weight)> Turns { get; } = [];

    public BlockingCollection<TurnReport> Long { get; } = [];

    public BlockingCollection<(TurnReport Turn, StandIn StandIn)> Blocked { get; } = [];

    public BlockingCollection<int> Scarce { get; } = [];

    public BlockingCollection<Standstill> Standstills { get; } = [];

    public void Waited(Lane lane, TimeSpan wait, int weight)
    {
        lock (Waits)
            Waits.Add((lane, wait, weight));
    }

    public void Ran(Lane lane, TimeSpan turn, int weight)
    {
        lock (Turns)
            Turns.Add((lane, turn, weight));
    }

    public void FoundLong(TurnReport turn) => Long.Add(turn);

    public void FoundBlocked(TurnReport turn, StandIn standIn) => Blocked.Add((turn, standIn));

    public void FoundScarce(int blocked, StandIn bound) => Scarce.Add(blocked);

    public void FoundStandstill(Standstill standstill) => Standstills.Add(standstill);
}
