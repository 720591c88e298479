using System.Diagnostics;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Passes on what the lanes tell: waits and turns to the meter, long and blocked ones to the log, by name.</summary>
internal sealed class LaneReporter(HoldfastMeter meter, ILogger log) : ILaneObserver
{
    private static readonly TagList[] s_tags =
        [.. Enum.GetValues<Lane>().Select(lane => new TagList([new(Names.LaneTag, Names.Of(lane))]))];

    private long _longTurns;

    public long LongTurns => Volatile.Read(ref _longTurns);

    public void Waited(Lane lane, TimeSpan wait) => meter.LaneWait.Record(wait.TotalSeconds, s_tags[(int)lane]);

    public void Ran(Lane lane, TimeSpan turn) => meter.LaneTurn.Record(turn.TotalSeconds, s_tags[(int)lane]);

    public void FoundLong(TurnReport turn)
    {
        Interlocked.Increment(ref _longTurns);
        log.LongTurn(turn.Name, turn.Thread, turn.Duration.TotalSeconds);
    }

    public void FoundBlocked(TurnReport turn, bool isReplaced)
    {
        if (isReplaced)
            log.BlockedTurn(turn.Name, turn.Thread);
        else
            log.BlockedBeyondSpare(turn.Name, turn.Thread);
    }
}
