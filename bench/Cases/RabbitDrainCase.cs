using Holdfast.Broker.RabbitMq;

namespace Holdfast.Bench;

/// <summary>How fast, and at what cost, the messages of a queue that was filled before are taken, handled by a handler that does nothing, and acknowledged one by one.</summary>
internal static class RabbitDrainCase
{
    private const int Messages = 100_000;
    private const int Prefetch = 256;
    private const double LeastOfRaw = 0.9;
    private const double LeastOfMassTransit = 1.5;
    private const double MostCpu = 1.2;

    public static Case Case { get; } = new(
        "rabbitmq-drain",
        $"{Messages:#,0} persistent messages of {Letter.Size} bytes, {Prefetch} at once, each acknowledged by itself (Holdfast lets one frame stand for several acknowledgements where it can): at least {LeastOfRaw} of the raw client's rate and {LeastOfMassTransit} of MassTransit's, at no more than {MostCpu} of the raw client's CPU.",
        ["what", .. Contenders.OnRabbitMq.Select(contender => contender.Title()), "of the raw client's", "of MassTransit's"],
        [
            new("classic queue", scale => Measure(scale, QueueType.Classic, "classic queue")),
            new("quorum queue", scale => Measure(scale, QueueType.Quorum, "quorum queue")),
        ])
    { NeedsRabbitMq = true };

    private static Outcome Measure(Scale scale, QueueType type, string title)
    {
        var (warmUp, messages) = scale.Pick((16_000, Messages), (2_000, 5_000));
        var rounds = Interleaved.Run(0, scale.Pick(5, 1), [.. Contenders.OnRabbitMq.Select(contender => (Func<Finding>)(() => Drain(contender, type, warmUp, messages)))]);

        var rate = Table(rounds, found => messages / found.Elapsed.TotalSeconds);
        var cpu = Table(rounds, found => found.Cpu.TotalMilliseconds / messages * 1000);
        var bytes = Table(rounds, found => (double)found.Bytes / messages);
        var (ofRaw, ofMassTransit, cpuOfRaw) = (Ratio(rate, Contender.RawClient), Ratio(rate, Contender.MassTransit), Ratio(cpu, Contender.RawClient));
        return new(
            [
                new(
                    Cells($"{title}: messages a second", rate),
                    $"at least {LeastOfRaw} and {LeastOfMassTransit}",
                    ofRaw.Value >= LeastOfRaw && ofMassTransit.Value >= LeastOfMassTransit,
                    IsRelative: true),
                new(Cells($"{title}: CPU milliseconds for 1,000 messages", cpu), $"at most {MostCpu} of the raw client's", cpuOfRaw.Value <= MostCpu, IsRelative: true),
                new(Cells($"{title}: bytes allocated for a message", bytes)),
            ],
            $"the first {warmUp:#,0} messages of each run warm it up, until the JIT compiler is done, and are not counted",
            $"RabbitMQ.Client {RabbitTarget.ClientVersion} and the worker's runtime settings (pool threads without work do not spin) in all three")
        {
            Bars = [.. Contenders.OnRabbitMq.Select(contender => new Bar($"{title}, messages a second", contender.Title(), Reading.Median(rate[(int)contender])) { IsOurs = contender == Contender.Holdfast })],
        };
    }

    private static Finding Drain(Contender contender, QueueType type, int warmUp, int messages) => DrainAsync(contender, type, warmUp, messages).Result;

    private static async Task<Finding> DrainAsync(Contender contender, QueueType type, int warmUp, int messages)
    {
        await using var postman = await Postman.StartAsync(type);
        await postman.FillAsync(warmUp + messages);
        using var client = ClientProcess.Start(new(contender, Chore.Drain, postman.Queue, Prefetch)
        {
            QueueType = type,
            WarmUp = warmUp,
            Messages = messages,
            Limit = TimeSpan.FromSeconds(60),
        });
        return client.Find();
    }

    private static double[][] Table(Finding[][] rounds, Func<Finding, double> value) => [.. rounds.Select(found => found.Select(value).ToArray())];

    private static Reading Ratio(double[][] table, Contender to) => Reading.Ratio(table[(int)Contender.Holdfast], table[(int)to]);

    private static string[] Cells(string what, double[][] table) =>
        [what, .. table.Select(rounds => $"{Reading.Median(rounds)}"), $"{Ratio(table, Contender.RawClient)}", $"{Ratio(table, Contender.MassTransit)}"];
}
