using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Bench;

/// <summary>How many messages the whole engine takes from the embedded broker, hands to a handler that does nothing, and settles.</summary>
internal static class EngineCase
{
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

    private static Cost Measure(int messages, Action<Backlog> run) =>
        Backlog.Of(messages, i => new Message { Id = $"{i}" }).CostOfEach(run);

    private static void RunListenedEngine(Backlog backlog)
    {
        using var listener = new MeterListener { InstrumentPublished = (instrument, self) => Listen(instrument, self) };
        listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => { });
        listener.Start();
        RunEngine(backlog);
    }

    private static void Listen(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == Names.Meter)
            listener.EnableMeasurementEvents(instrument);
    }

    private static void RunEngine(Backlog backlog)
    {
        using var engine = backlog.Engine(holdfast => holdfast.Handle(Backlog.Queue, static (_, _) => new(Settlement.Complete)));
        backlog.Empty(engine);
    }

    private static void RunBareLoops(Backlog backlog)
    {
        using var stop = new CancellationTokenSource();
        var loops = Enumerable.Range(0, Environment.ProcessorCount).Select(_ => Task.Run(() => LoopAsync(backlog.Broker, stop.Token))).ToArray();
        backlog.WaitUntilEmpty();
        stop.Cancel();
        Task.WaitAll(loops);
    }

    private static async Task LoopAsync(InMemoryBroker broker, CancellationToken stop)
    {
        await using var receiver = await broker.OpenReceiverAsync(Backlog.Queue, CancellationToken.None);
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
