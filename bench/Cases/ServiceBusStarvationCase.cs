namespace Holdfast.Bench;

/// <summary>What becomes of locks on Service Bus while handlers leave no CPU, no thread of ours, or no thread of the .NET pool to anybody else.</summary>
internal static class ServiceBusStarvationCase
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(5);

    public static Case Case { get; } = new(
        "servicebus-starvation",
        $"locks of {s_lock.TotalSeconds:0} s; handlers of ten turns that burn 200 ms of CPU and wait 200 ms, or sleep 200 ms on their thread and wait 20 ms, or hand all of it to the .NET pool, where 200 of 264 block and 64 burn. No lock is lost, and nothing begun twice.",
        ["what", "locks expired", "misses", "begun twice", "handled", "late p50, ms", "p99", "most"],
        [
            Part("64 burn CPU", Chore.Burn, 64, 64, 60),
            Part("200 sleep", Chore.Sleep, 200, 1_000, 34),
            Part("264 escape to the pool", Chore.Escape, 264, 2_000, 34),
        ])
    { NeedsServiceBus = true };

    private static Part Part(string title, Chore chore, int atOnce, int messages, int seconds) =>
        new(title, scale => MeasureAsync(title, chore, atOnce, messages, TimeSpan.FromSeconds(scale.Pick(seconds, 4))).Result);

    private static async Task<Outcome> MeasureAsync(string title, Chore chore, int atOnce, int messages, TimeSpan limit)
    {
        await using var queue = await BusQueue.StartAsync(s_lock);
        await queue.FillAsync(messages);
        using var client = ClientProcess.Start(new(Contender.Holdfast, chore, BusQueue.Name, atOnce)
        {
            ServiceBus = queue.ConnectionString,
            Messages = messages,
            Limit = limit,
            GivesWay = true,
        });
        var found = client.Find();
        var expired = (await queue.Control.StatsAsync()).ExpiredLocks;

        var late = new Samples(found.LeaseLateness!);
        string[] cells =
        [
            title,
            $"{expired}",
            $"{found.Missed}",
            $"{found.BegunTwice}",
            $"{found.Handled:#,0}",
            Number.Show(late.At(50)),
            Number.Show(late.At(99)),
            Number.Show(late.Max),
        ];
        return new(
            [new(cells, "none expired, missed, begun twice", expired == 0 && found.Missed == 0 && found.BegunTwice == 0)],
            $"{late.Count:#,0} renewals; a loop on the pool beside it was late by {Number.Show(new Samples(found.PoolLateness).Max)} ms at most");
    }
}
