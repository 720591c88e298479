using Holdfast.Broker.RabbitMq;

namespace Holdfast.Bench;

/// <summary>What becomes of connection and deliveries while handlers leave no CPU or no thread to anybody else.</summary>
internal static class RabbitStarvationCase
{
    private const int Heartbeat = 5;

    private static readonly Hardship s_burn = new("64 burn CPU", Chore.Burn, AtOnce: 64, Messages: 64);
    private static readonly Hardship s_sleep = new("200 sleep", Chore.Sleep, AtOnce: 200, Messages: 1_000);
    private static readonly Hardship s_flood = new("64 flood the pool", Chore.Flood, AtOnce: 64, Messages: 64);

    public static Case Case { get; } = new(
        "rabbitmq-starvation",
        $"handlers of ten turns that burn 200 ms of CPU and wait 200 ms, or sleep 200 ms on their thread and wait 20 ms, or hand 200 ms of CPU work to the .NET pool in 16 pieces; heartbeat {Heartbeat} s, a renewal each second. Holdfast loses no connection and no lease, and begins nothing twice: what it gives back, it has not begun.",
        ["what", "who", "connections lost", "delivered again", "begun twice", "leases missed", "acknowledged", "renewal late by, ms: p50", "p99", "most"],
        [
            .. Parts(s_burn, "2 CPUs", quota: null, seconds: 72),
            .. Parts(s_burn, "half a CPU", quota: 0.5, seconds: 45),
            .. Parts(s_sleep, "2 CPUs", quota: null, seconds: 40),
            .. Parts(s_sleep, "half a CPU", quota: 0.5, seconds: 40),
            .. Parts(s_flood, "2 CPUs", quota: null, seconds: 30, isJudged: false),
        ])
    { NeedsRabbitMq = true };

    private static IEnumerable<Part> Parts(Hardship hardship, string cpus, double? quota, int seconds, bool isJudged = true) => Contenders.All.Select(contender =>
        new Part(
            $"{hardship.Title}, {cpus}: {contender.Title()}",
            scale => MeasureAsync(contender, hardship, cpus, TimeSpan.FromSeconds(scale.Pick(seconds, 2)), UntilCounted(scale), isJudged && contender == Contender.Holdfast).Result,
            quota));

    // The server's counts are a second old.
    private static TimeSpan UntilCounted(Scale scale) => TimeSpan.FromSeconds(scale.Pick(1.5, 0.1));

    private static async Task<Outcome> MeasureAsync(Contender contender, Hardship hardship, string cpus, TimeSpan limit, TimeSpan untilCounted, bool isJudged)
    {
        using var counts = new BrokerCounts();
        await using var postman = await Postman.StartAsync(QueueType.Classic);
        await postman.FillAsync(hardship.Messages);
        await Task.Delay(untilCounted);
        var lostBefore = await counts.ConnectionsEndedAsync();

        Finding found;
        long lost;
        using (var client = ClientProcess.Start(new(contender, hardship.Chore, postman.Queue, hardship.AtOnce)
        {
            Messages = hardship.Messages,
            Limit = limit,
            Heartbeat = TimeSpan.FromSeconds(Heartbeat),
        }))
        {
            found = client.Find();
            await Task.Delay(untilCounted);
            lost = await counts.ConnectionsEndedAsync() - lostBefore;
        }

        // What the client did not acknowledge is the queue's again, now that it is gone.
        await Task.Delay(untilCounted);
        var again = await counts.RedeliveriesAsync(postman.Queue);
        var acknowledged = hardship.Messages - await postman.WaitingAsync();
        var late = new Samples(found.LeaseLateness ?? found.PoolLateness);
        string[] cells =
        [
            $"{hardship.Title}, {cpus}",
            contender.Title(),
            $"{lost}",
            $"{again}",
            $"{found.BegunTwice}",
            found.Missed is { } misses ? $"{misses}" : "",
            $"{acknowledged} of {hardship.Messages:#,0}, {found.Handled:#,0} handled",
            Number.Show(late.At(50)),
            Number.Show(late.At(99)),
            Number.Show(late.Max),
        ];

        // Delivered again without having been begun before, a message was given back unbegun: that explains it.
        Row row = isJudged ? new(cells, "none lost, missed or begun twice", lost == 0 && found.Missed == 0 && found.BegunTwice == 0, IsRelative: true) : new(cells);
        var note = found.LeaseLateness is null
            ? $"{late.Count:#,0} turns of a loop on the pool"
            : $"{late.Count:#,0} renewals; a loop on the pool beside it was late by {Number.Show(new Samples(found.PoolLateness).Max)} ms at most";
        return new([row], note)
        {
            Bars = [new(row.Cells[0], contender.Title(), new(late.Max, late.At(50), late.Max), lost == 0 ? "" : $"connection lost {lost} x")],
        };
    }

    /// <summary>What the handlers do, how many of them at once, and how many messages there are.</summary>
    private sealed record Hardship(string Title, Chore Chore, int AtOnce, int Messages);
}
