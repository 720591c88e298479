using Holdfast.Consumer;
using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Terminal;

/// <summary>Puts a queue into a line for the terminal.</summary>
internal static class SummaryLine
{
    public static string Compose(QueueStatus before, QueueStatus now, TimeSpan between)
    {
        var rate = (now.Settled() - before.Settled()) / between.TotalSeconds;
        var renewals = (now.Renewals - before.Renewals) / between.TotalSeconds;
        var line = $"{now.Queue}  {rate,6:0.0} msg/s  held {now.LeasesHeld,4}  slots {now.SlotsUsed,4}/{now.SlotsLimit,-4}  renewals {renewals,5:0.0}/s  misses {now.Misses}  least margin {Margin(now)}";
        return (now.Problem ?? now.Holding) is { } reason ? $"{line}  ({reason})" : line;
    }

    /// <summary>What is said of a queue at the end.</summary>
    public static string Close(QueueStatus end) =>
        $"{end.Queue}: settled {end.Settled()} of {end.Received} (completed {end.Completed}, given back {end.Abandoned + end.Delayed}, dead-lettered {end.DeadLettered}), misses {end.Misses}, still held {end.LeasesHeld}, least margin {Margin(end)}";

    private static string Margin(QueueStatus queue) => queue.LeastMargin is { } margin ? $"{margin.TotalSeconds:0.0} s" : "-";
}
