using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>How many messages the whole engine takes from the embedded broker, hands to a handler that does nothing, and settles.</summary>
internal static class EngineCase
{
    private const string Queue = "bench";
    private const int LeastRate = 300_000;
    private const int MostBytes = 1024;

    public static Case Case { get; } = new(
        "engine",
        $"the engine takes, handles and settles {LeastRate:#,0} messages a second, and allocates less than {MostBytes} bytes for each; the queue is filled before.",
        ["what", "Holdfast", "with a metrics listener", "a bare loop on the pool"],
        [new("no-op handler", Measure)]);

    private static Outcome Measure(Scale scale)
    {
        var messages = scale.Pick(1_000_000, 50_000);
        var rounds = Interleaved.Run(
            1,
            scale.Pick(5, 1),
            () => Measure(messages, RunEngine),
            () => Measure(messages, RunListenedEngine),
            () => Measure(messages, RunBareLoops));

        var rates = rounds.Select(costs => Reading.Median(costs.Select(cost => 1e9 / cost.WallNanoseconds))).ToArray();
        var bytes = rounds.Select(costs => Reading.Median(costs.Select(cost => cost.Bytes))).ToArray();
        var cpu = rounds.Select(costs => Reading.Median(costs.Select(cost => cost.CpuNanoseconds)));
        return new(
        [
            new(["messages a second", .. rates.Select(rate => $"{rate}")], $"at least {LeastRate:#,0}", rates[0].Value >= LeastRate),
            new(["bytes for a message", .. bytes.Select(each => $"{each}")], $"less than {MostBytes:#,0}", bytes[0].Value < MostBytes),
            new(["ns of CPU for a message", .. cpu.Select(each => $"{each}")]),
        ],
        $"{messages:#,0} messages a round");
    }

    private static Cost Measure(int messages, Action<InMemoryBroker> run)
    {
        var broker = new InMemoryBroker();
        Fill(broker, messages).Wait();
        GC.Collect();
        return Cost.OfEach(messages, () => run(broker));
    }

    private static async Task Fill(InMemoryBroker broker, int messages)
    {
        await using var sender = await broker.OpenSenderAsync(Queue, CancellationToken.None);
        for (var i = 0; i < messages; i++)
            await sender.SendAsync(new Message { Id = $"{i}" }, TimeSpan.Zero, CancellationToken.None);
    }

    private static void RunListenedEngine(InMemoryBroker broker)
    {
        using var listener = new MeterListener { InstrumentPublished = (instrument, self) => Listen(instrument, self) };
        listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        listener.Start();
        RunEngine(broker);
    }

    private static void Listen(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == Names.Meter)
            listener.EnableMeasurementEvents(instrument);
    }

    private static void RunEngine(InMemoryBroker broker)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.Services.AddHoldfast().UseBroker(_ => broker).Handle(Queue, static (_, _) => new(Settlement.Complete));
        using var host = builder.Build();
        host.Start();
        WaitUntilEmpty(broker);
        host.StopAsync().Wait();
    }

    private static void WaitUntilEmpty(InMemoryBroker broker)
    {
        while (broker.Counts(Queue) is { Waiting: > 0 } or { Held: > 0 })
            Thread.Sleep(1);
    }

    private static void RunBareLoops(InMemoryBroker broker)
    {
        using var stop = new CancellationTokenSource();
        var loops = Enumerable.Range(0, Environment.ProcessorCount).Select(_ => Task.Run(() => LoopAsync(broker, stop.Token))).ToArray();
        WaitUntilEmpty(broker);
        stop.Cancel();
        Task.WaitAll(loops);
    }

    private static async Task LoopAsync(InMemoryBroker broker, CancellationToken stop)
    {
        await using var receiver = await broker.OpenReceiverAsync(Queue, CancellationToken.None);
        var room = new Delivery[256];
        try
        {
            while (true)
            {
                var count = await receiver.ReceiveAsync(room, stop);
                for (var i = 0; i < count; i++)
                    await receiver.SettleAsync(room[i], Settlement.Complete, CancellationToken.None);
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }
}
