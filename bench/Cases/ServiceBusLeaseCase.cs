using System.Diagnostics;

namespace Holdfast.Bench;

/// <summary>How many requests it takes to keep many leases of one queue.</summary>
internal static class ServiceBusLeaseCase
{
    private const int Held = 1_000;
    private const double MostRequests = 10;
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_untilHeld = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    public static Case Case { get; } = new(
        "servicebus-leases",
        $"{Held:#,0} messages held under locks of {s_lock.TotalSeconds:0} s: at most {MostRequests} renewal requests for each lock's duration, and none lost.",
        ["what", "renewal requests a lock", "locks renewed a request", "locks expired", "misses"],
        [new($"{Held:#,0} held", scale => MeasureAsync(scale).Result)])
    { NeedsServiceBus = true };

    private static async Task<Outcome> MeasureAsync(Scale scale)
    {
        var locks = scale.Pick(12, 2);
        await using var queue = await BusQueue.StartAsync(s_lock);
        await queue.FillAsync(Held);
        using var client = ClientProcess.Start(new(Contender.Holdfast, Chore.Hold, BusQueue.Name, Held)
        {
            ServiceBus = queue.ConnectionString,
            Messages = Held,
            Limit = s_lock * (locks + 2),
        });
        await UntilHeldAsync(queue);
        await queue.Control.ClearStatsAsync();
        await Task.Delay(s_lock * locks);

        var stats = await queue.Control.StatsAsync();
        var (requests, renewed, misses) = ((double)stats.Of("renew-lock") / locks, stats.Of("renewed-locks"), client.Find().Missed);
        string[] cells = [$"{Held:#,0} held", Number.Show(requests), Number.Show(renewed / Math.Max(1, requests * locks)), $"{stats.ExpiredLocks}", $"{misses}"];
        return new([new(cells, $"at most {MostRequests}, none lost", requests <= MostRequests && stats.ExpiredLocks == 0 && misses == 0)], $"over {locks} times the lock's duration");
    }

    private static async Task UntilHeldAsync(BusQueue queue)
    {
        for (var patience = Stopwatch.StartNew(); (await queue.Control.CountsAsync(BusQueue.Name)).Locked < Held;)
        {
            if (patience.Elapsed > s_untilHeld)
                throw new TimeoutException($"{Held:#,0} messages were not taken within {s_untilHeld}.");
            await Task.Delay(s_pause);
        }
    }
}
