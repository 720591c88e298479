using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Passes on what the lanes tell: waits and turns to the meter, long and blocked ones to the log, by name.</summary>
internal sealed class LaneReporter : ILaneObserver, IDisposable
{
    private const int MostInFlood = 20;

    private readonly HoldfastMeter _meter;
    private readonly ILogger _log;
    private readonly Flood _long;
    private readonly Flood _beyondSpare;
    private readonly long[] _longTurns = new long[Enum.GetValues<Lane>().Length];

    public LaneReporter(HoldfastMeter meter, TimeProvider time, ILogger log)
    {
        (_meter, _log) = (meter, log);
        _long = new(time, MostInFlood, (count, seconds, turn) => log.LongTurnsToo(count, seconds, turn));
        _beyondSpare = new(time, MostInFlood, (count, seconds, turn) => log.BlockedBeyondSpareToo(count, seconds, turn));
    }

    public long LongTurns(Lane lane) => Volatile.Read(ref _longTurns[(int)lane]);

    public bool WantsEach => _meter.TellsOfEachTurn;

    public void Waited(Lane lane, TimeSpan wait, int weight) => _meter.LaneWait[(int)lane].Record(wait, weight: weight);

    public void Ran(Lane lane, TimeSpan turn, int weight) => _meter.LaneTurn[(int)lane].Record(turn, weight: weight);

    public void FoundLong(TurnReport turn)
    {
        Interlocked.Increment(ref _longTurns[(int)turn.Lane]);
        var (of, name) = Whose(turn);
        if (_long.Admits($"{of} {name}"))
            _log.LongTurn(of, name, turn.Thread, turn.Duration.TotalSeconds, IsMessage(turn) ? "let the handler await now and then" : "no handler runs there, so CPU or memory may be short");
    }

    public void FoundBlocked(TurnReport turn, StandIn standIn)
    {
        var (of, name) = Whose(turn);
        if (standIn == StandIn.Found)
            _log.BlockedTurn(of, name, turn.Thread);
        else if (_beyondSpare.Admits($"{of} {name}"))
            _log.BlockedBeyondSpare(of, name, turn.Thread, Why(standIn));
    }

    public void FoundScarce(int blocked, StandIn bound) => _log.ThreadsScarce(blocked, Why(bound));

    public void FoundStandstill(Standstill standstill) =>
        _log.StoodStill(standstill.Duration.TotalSeconds, standstill.IsCollection ? "a garbage collection" : "a paused machine or a stopped process");

    public void Dispose()
    {
        _long.Dispose();
        _beyondSpare.Dispose();
    }

    private static bool IsMessage(TurnReport turn) => turn.Lane == Lane.Process;

    private static (string Of, string Name) Whose(TurnReport turn) => IsMessage(turn) ? ("message", turn.Name) : ("the", $"{turn.Lane} lane");

    private static string Why(StandIn bound) => bound == StandIn.Refused ? "the system has no more threads or files for this process" : "MaxSpareThreads";
}
