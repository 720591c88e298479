using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;

namespace Holdfast.Bench;

/// <summary>What becomes of connection and deliveries while handlers leave no CPU or no thread to anybody else.</summary>
internal static class RabbitStarvationCase
{
    private const int Heartbeat = 5;

    // The server's counts are a second old.
    private static readonly TimeSpan s_untilCounted = TimeSpan.FromSeconds(1.5);

    private static readonly Hardship s_burn = new("64 burn CPU", Chore.Burn, AtOnce: 64, Messages: 64);
    private static readonly Hardship s_sleep = new("200 sleep", Chore.Sleep, AtOnce: 200, Messages: 1_000);
    private static readonly Hardship s_flood = new("64 flood the pool", Chore.Flood, AtOnce: 64, Messages: 64, AdmissionMode.Adaptive);

    // Nothing is promised here: it shows what the admission is for.
    private static readonly Hardship s_unchecked = s_flood with { Title = $"{s_flood.Title} unchecked", Admission = AdmissionMode.Fixed };

    public static Case Case { get; } = new(
        "rabbitmq-starvation",
        $"handlers of ten turns that burn 200 ms of CPU and wait 200 ms, or sleep 200 ms on their thread and wait 20 ms, or hand 200 ms of CPU work to the .NET pool in 16 pieces; heartbeat {Heartbeat} s, a renewal due each second, and how late it was (of a lease; where there are none, of a loop on the .NET pool). Holdfast takes as many messages at once as the others prefetch, but where handlers flood the pool: there its admission is adaptive, as by default. It loses no connection and no lease, begins nothing twice, and has nothing redelivered but what it gave back unbegun.",
        ["what", "connections lost", "redelivered", "given back", "begun twice", "misses", "acknowledged", "handled", "late p50, ms", "p99", "most"],
        [
            .. Parts(s_burn, "2 CPUs", quota: null, seconds: 60),
            .. Parts(s_burn, "half a CPU", quota: 0.5, seconds: 42),
            .. Parts(s_sleep, "2 CPUs", quota: null, seconds: 34),
            .. Parts(s_sleep, "half a CPU", quota: 0.5, seconds: 34),
            .. Parts(s_flood, "2 CPUs", quota: null, seconds: 22),
            Part(Contender.Holdfast, s_unchecked, "2 CPUs", quota: null, seconds: 22, isJudged: false),
        ])
    { NeedsRabbitMq = true };

    private static IEnumerable<Part> Parts(Hardship hardship, string cpus, double? quota, int seconds) =>
        Contenders.OnRabbitMq.Select(contender => Part(contender, hardship, cpus, quota, seconds, isJudged: contender == Contender.Holdfast));

    private static Part Part(Contender contender, Hardship hardship, string cpus, double? quota, int seconds, bool isJudged) => new(
        $"{hardship.Title}, {cpus}: {contender.Title()}",
        scale => Show(contender, hardship, cpus, isJudged, MeasureAsync(contender, hardship, TimeSpan.FromSeconds(scale.Pick(seconds, 2))).Result),
        quota);

    private static async Task<Aftermath> MeasureAsync(Contender contender, Hardship hardship, TimeSpan limit)
    {
        using var counts = new BrokerCounts();
        await counts.ReachAsync(open: 0);
        await using var postman = await Postman.StartAsync(QueueType.Classic);
        await postman.FillAsync(hardship.Messages);
        await counts.ReachAsync(open: 1);
        var endedBefore = await counts.ConnectionsEndedAsync();

        Finding found;
        long lost;
        using (var client = ClientProcess.Start(new(contender, hardship.Chore, postman.Queue, hardship.AtOnce)
        {
            Messages = hardship.Messages,
            Limit = limit,
            Heartbeat = TimeSpan.FromSeconds(Heartbeat),
            Admission = hardship.Admission,
        }))
        {
            found = client.Find();
            await Task.Delay(s_untilCounted);
            lost = await counts.ConnectionsEndedAsync() - endedBefore;
        }

        // What the client did not acknowledge is the queue's again, now that it is gone.
        await counts.ReachAsync(open: 1);
        return new(found, lost, await counts.RedeliveriesAsync(postman.Queue), hardship.Messages - await postman.WaitingAsync());
    }

    private static Outcome Show(Contender contender, Hardship hardship, string cpus, bool isJudged, Aftermath after)
    {
        var (found, lost) = (after.Found, after.ConnectionsLost);
        var late = new Samples(found.LeaseLateness ?? found.PoolLateness);
        string[] cells =
        [
            $"{hardship.Title}, {cpus}: {contender.Title()}",
            $"{lost}",
            $"{after.Redelivered}",
            found.GivenBack is { } givenBack ? $"{givenBack}" : "",
            $"{found.BegunTwice}",
            found.Missed is { } misses ? $"{misses}" : "",
            $"{after.Acknowledged:#,0} of {hardship.Messages:#,0}",
            $"{found.Handled:#,0}",
            Number.Show(late.At(50)),
            Number.Show(late.At(99)),
            Number.Show(late.Max),
        ];

        var isWell = lost == 0 && found.Missed == 0 && found.BegunTwice == 0 && after.Redelivered <= found.GivenBack;
        Row row = isJudged ? new(cells, "none lost, missed, begun twice; no redelivery but of what was given back", isWell, IsRelative: true) : new(cells);
        var note = found.LeaseLateness is null
            ? $"{late.Count:#,0} turns of a loop on the pool"
            : $"{late.Count:#,0} renewals; a loop on the pool beside it was late by {Number.Show(new Samples(found.PoolLateness).Max)} ms at most";
        return new([row], note)
        {
            Bars = [new($"{hardship.Title}, {cpus}: the latest renewal, ms", contender.Title(), new(late.Max, late.Max, late.Max), lost == 0 ? "" : $"connection lost {lost} x")],
        };
    }

    /// <summary>What was found in the client, and at the server after it.</summary>
    private sealed record Aftermath(Finding Found, long ConnectionsLost, long Redelivered, long Acknowledged);

    /// <summary>What the handlers do, how many of them at once, how many messages there are, and whether Holdfast may take fewer at once.</summary>
    private sealed record Hardship(string Title, Chore Chore, int AtOnce, int Messages, AdmissionMode Admission = AdmissionMode.Fixed);
}
