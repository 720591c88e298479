using System.Diagnostics;
using Holdfast.Broker.RabbitMq;
using Holdfast.Worker.Commands;

namespace Holdfast.Bench;

/// <summary>How fast dead letters are sent again, all or nothing, beside a client that has each copy confirmed, acknowledges the original, and leaves it twice where it dies in between.</summary>
internal static class ReplayCase
{
    private const double LeastPerSecond = 5_000;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    public static Case Case { get; } = new(
        "replay",
        $"Dead letters of {Letter.Size} bytes, 100,000 of them, sent to their queue again: at least {LeastPerSecond:#,0} a second.",
        ["what", "Holdfast, in transactions", "RabbitMQ.Client, confirmed and acknowledged", "ratio"],
        [
            new("classic queue", scale => Measure(scale, QueueType.Classic, "classic queue")),
            new("quorum queue", scale => Measure(scale, QueueType.Quorum, "quorum queue")),
        ])
    { NeedsRabbitMq = true };

    private static Outcome Measure(Scale scale, QueueType type, string title)
    {
        var messages = scale.Pick(100_000, 5_000);

        // One round: to fill a queue with so many takes longer than to empty it.
        var rounds = Interleaved.Run<double>(0, 1, () => RateAsync(type, messages, HoldfastAsync, leavesNone: true).Result, () => RateAsync(type, messages, Resender.RunAsync, leavesNone: false).Result);
        var (ours, theirs) = (rounds[0], rounds[1]);
        var rate = Reading.Median(ours);
        return new(
            [new([$"{title}: messages a second", $"{rate}", $"{Reading.Median(theirs)}", $"{Reading.Ratio(ours, theirs)}"], $"at least {LeastPerSecond:#,0} a second", rate.Value >= LeastPerSecond)],
            $"{messages:#,0} messages a round; both queues are of that type");
    }

    private static async Task<double> RateAsync(QueueType type, int messages, Func<string, int, Task> replay, bool leavesNone)
    {
        await using var postman = await Postman.StartAsync(type);

        // What lies in the one queue is sent to the other.
        await postman.FillAsync(messages);
        var clock = Stopwatch.StartNew();
        await replay(postman.Queue, messages);

        // Ours has them go the last part of the way by themselves: what counts is when they are there.
        while (await postman.WaitingAsync(Postman.DeadLettersOf(postman.Queue)) < messages)
            await Task.Delay(s_pause);
        var rate = messages / clock.Elapsed.TotalSeconds;

        // A client that acknowledges and goes may have some back from a quorum queue.
        return leavesNone && await postman.WaitingAsync() > 0 ? throw new InvalidOperationException("Some were left.") : rate;
    }

    private static async Task HoldfastAsync(string queue, int messages)
    {
        await using var desk = new RabbitMqDesk(new RabbitMqBrokerOptions { Uri = RabbitTarget.Uri });
        await using var sweep = await desk.SweepAsync(queue, Postman.DeadLettersOf(queue), _ => null, rate: null, most: null, CancellationToken.None);
        await new Clearing(sweep, new(), messages, rate: null, TimeProvider.System).RunAsync(new Progress<long>(), CancellationToken.None);
    }
}
