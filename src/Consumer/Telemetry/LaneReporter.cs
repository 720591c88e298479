using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Passes on what the lanes tell: waits and turns to the meter, long and blocked ones to the log, by name.</summary>
internal sealed class LaneReporter(HoldfastMeter meter, ILogger log) : ILaneObserver
{
    private readonly long[] _longTurns = new long[Enum.GetValues<Lane>().Length];

    public long LongTurns(Lane lane) => Volatile.Read(ref _longTurns[(int)lane]);

    public void Waited(Lane lane, TimeSpan wait) => meter.LaneWait[(int)lane].Record(wait);

    public void Ran(Lane lane, TimeSpan turn) => meter.LaneTurn[(int)lane].Record(turn);

    public void FoundLong(TurnReport turn)
    {
        Interlocked.Increment(ref _longTurns[(int)turn.Lane]);
        log.LongTurn(turn.Name, turn.Thread, turn.Duration.TotalSeconds);
    }

    public void FoundBlocked(TurnReport turn, bool isReplaced)
    {
        if (isReplaced)
            log.BlockedTurn(turn.Name, turn.Thread);
        else
            log.BlockedBeyondSpare(turn.Name, turn.Thread);
    }

    public void FoundScarce(int blocked) => log.ThreadsScarce(blocked);
}
