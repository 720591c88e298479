using Holdfast.Broker.RabbitMq;

namespace Holdfast.Bench;

/// <summary>How long a message takes from publishing to its handler, while there is little to do.</summary>
internal static class RabbitLatencyCase
{
    private const int PerSecond = 1_000;
    private const int Prefetch = 256;

    public static Case Case { get; } = new(
        "rabbitmq-latency",
        $"{PerSecond:#,0} persistent messages of {Letter.Size} bytes a second through a classic queue: milliseconds from publishing to the handler.",
        ["what", .. Contenders.OnRabbitMq.Select(contender => contender.Title())],
        [new("classic queue", Measure)])
    { NeedsRabbitMq = true };

    private static Outcome Measure(Scale scale)
    {
        var (warmUp, messages) = scale.Pick((PerSecond, 9 * PerSecond), (PerSecond / 2, PerSecond));

        // The first round warms the server, at nobody's expense.
        var rounds = Interleaved.Run(scale.Pick(1, 0), scale.Pick(5, 1), [.. Contenders.OnRabbitMq.Select(contender => (Func<double[]>)(() => TimeAsync(contender, warmUp, messages).Result))]);
        return new([Row("p50", 50, rounds), Row("p99", 99, rounds), Row("most", 100, rounds)], $"{messages:#,0} messages a run, after {warmUp:#,0} that warm it up");
    }

    private static async Task<double[]> TimeAsync(Contender contender, int warmUp, int messages)
    {
        await using var postman = await Postman.StartAsync(QueueType.Classic);
        using var client = ClientProcess.Start(new(contender, Chore.Time, postman.Queue, Prefetch) { WarmUp = warmUp, Messages = messages, Limit = TimeSpan.FromSeconds(30) });
        postman.Send(warmUp + messages, PerSecond);
        return client.Find().Latencies;
    }

    private static Row Row(string name, double percent, double[][][] rounds) => new([name, .. rounds.Select(latencies => $"{Reading.Percentile(percent, latencies)}")]);
}
