namespace Holdfast.Scheduling;

/// <summary>What the threads did at one moment, as seen from outside: how many ran each lane, and whose turns they were. Taken while they go on, so a turn may have ended since.</summary>
public sealed class LaneActivity
{
    private readonly int[] _busy = new int[Enum.GetValues<Lane>().Length];
    private readonly HashSet<Strand> _running = [];

    internal LaneActivity(IEnumerable<LaneWorker> workers)
    {
        foreach (var worker in workers)
        {
            if (worker.Turns % 2 == 0)
                continue;
            _busy[(int)worker.TurnLane]++;
            if (worker.Strand is { } strand)
                _running.Add(strand);
        }
    }

    /// <summary>How many threads ran something of that lane, those blocked in it among them.</summary>
    public int Busy(Lane lane) => _busy[(int)lane];

    public bool IsRunning(Strand strand) => _running.Contains(strand);
}
