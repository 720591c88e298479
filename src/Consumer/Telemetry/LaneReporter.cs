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
        _long = new(time, MostInFlood, (count, seconds, name) => log.LongTurnsToo(count, seconds, name));
        _beyondSpare = new(time, MostInFlood, (count, seconds, name) => log.BlockedBeyondSpareToo(count, seconds, name));
    }

    public long LongTurns(Lane lane) => Volatile.Read(ref _longTurns[(int)lane]);

    public bool WantsEach => _meter.TellsOfEachTurn;

    public void Waited(Lane lane, TimeSpan wait, int weight) => _meter.LaneWait[(int)lane].Record(wait, weight: weight);

    public void Ran(Lane lane, TimeSpan turn, int weight) => _meter.LaneTurn[(int)lane].Record(turn, weight: weight);

    public void FoundLong(TurnReport turn)
    {
        Interlocked.Increment(ref _longTurns[(int)turn.Lane]);
        if (_long.Admits(turn.Name))
            _log.LongTurn(turn.Name, turn.Thread, turn.Duration.TotalSeconds);
    }

    public void FoundBlocked(TurnReport turn, bool isReplaced)
    {
        if (isReplaced)
            _log.BlockedTurn(turn.Name, turn.Thread);
        else if (_beyondSpare.Admits(turn.Name))
            _log.BlockedBeyondSpare(turn.Name, turn.Thread);
    }

    public void FoundScarce(int blocked) => _log.ThreadsScarce(blocked);

    public void FoundStandstill(Standstill standstill) =>
        _log.StoodStill(standstill.Duration.TotalSeconds, standstill.IsCollection ? "a garbage collection" : "a paused machine or a stopped process");

    public void Dispose()
    {
        _long.Dispose();
        _beyondSpare.Dispose();
    }
}
