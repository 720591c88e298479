namespace Holdfast.Bench;

/// <summary>How fast, and at what cost, the messages of a Service Bus queue that was filled before are taken, handled by a handler that does nothing, and completed one by one.</summary>
internal static class ServiceBusDrainCase
{
    private const int Messages = 20_000;
    private const int Prefetch = 256;
    private const double LeastRate = 1;
    private const double MostCpu = 0.25;
    private static readonly TimeSpan s_lock = TimeSpan.FromMinutes(1);

    public static Case Case { get; } = new(
        "servicebus-drain",
        $"{Messages:#,0} messages of {Letter.Size} bytes, {Prefetch} at once, each completed by itself and confirmed by the broker: at least the rate of Microsoft's JavaScript SDK, at no more than {MostCpu} of its CPU.",
        ["what", .. Contenders.OnServiceBus.Select(contender => contender.Title()), "ratio"],
        [new("drain", Measure)])
    { NeedsServiceBus = true };

    private static Outcome Measure(Scale scale)
    {
        var (warmUp, messages) = scale.Pick((Messages / 2, Messages), (2_000, 4_000));
        var rounds = Interleaved.Run(0, scale.Pick(5, 1), [.. Contenders.OnServiceBus.Select(contender => (Func<Finding>)(() => DrainAsync(contender, warmUp, messages).Result))]);

        var rate = Table(rounds, found => messages / found.Elapsed.TotalSeconds);
        var cpu = Table(rounds, found => found.Cpu.TotalMilliseconds / messages * 1000);
        var (ofRate, ofCpu) = (Reading.Ratio(rate[0], rate[1]), Reading.Ratio(cpu[0], cpu[1]));
        return new(
            [
                new(Cells("messages a second", rate, ofRate), $"at least {LeastRate}", ofRate.Value >= LeastRate, IsRelative: true),
                new(Cells("CPU milliseconds for 1,000 messages", cpu, ofCpu), $"at most {MostCpu}", ofCpu.Value <= MostCpu, IsRelative: true),
            ],
            $"the first {warmUp:#,0} messages of each run warm it up and are not counted; the broker, which runs on one thread of Node.js, takes its share of the CPUs from both alike")
        {
            Bars = [.. Contenders.OnServiceBus.Select((contender, i) => new Bar("CPU milliseconds for 1,000 messages", contender.Title(), Reading.Median(cpu[i])) { IsOurs = contender == Contender.Holdfast })],
        };
    }

    private static async Task<Finding> DrainAsync(Contender contender, int warmUp, int messages)
    {
        await using var queue = await BusQueue.StartAsync(s_lock);
        await queue.FillAsync(warmUp + messages);
        using var client = ClientProcess.Start(new(contender, Chore.Drain, BusQueue.Name, Prefetch)
        {
            ServiceBus = queue.ConnectionString,
            WarmUp = warmUp,
            Messages = messages,
            Limit = TimeSpan.FromSeconds(60),
        });
        return client.Find();
    }

    private static double[][] Table(Finding[][] rounds, Func<Finding, double> value) => [.. rounds.Select(found => found.Select(value).ToArray())];

    private static string[] Cells(string what, double[][] table, Reading ratio) => [what, .. table.Select(rounds => $"{Reading.Median(rounds)}"), $"{ratio}"];
}
