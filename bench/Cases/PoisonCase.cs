using System.Diagnostics;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>What messages that always fail take from those that do not.</summary>
internal static class PoisonCase
{
    private const string Queue = "bench";
    private const double MostShare = 0.2;
    private const int GoodForOnePoison = 10;
    private static readonly TimeSpan s_work = TimeSpan.FromMilliseconds(10);

    public static Case Case { get; } = new(
        "poison",
        $"one message in eleven that fails at each try makes the others last less than {MostShare:0 %} longer: from the start until all others are handled. Retries and admission are as they are by default, the queue is filled before, a handler waits {s_work.TotalMilliseconds} ms without a thread.",
        ["poison", "others handled a second, without it", "with it", "longer, round by round"],
        [
            new("fails at once", scale => Measure(scale, "fails at once", (_, _) => throw new InvalidOperationException("No luck."))),
            new("fails after its work", scale => Measure(scale, "fails after its work", FailLateAsync)),
            new("can't be read", scale => Measure(scale, "can't be read, and is put aside", (message, _) => new(JsonSerializer.Deserialize<int>(message.Body.Span) > 0 ? Settlement.Complete : Settlement.Abandon))),
        ]);

    private static Outcome Measure(Scale scale, string what, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> fail)
    {
        var good = scale.Pick(100_000, 2_000);
        var rounds = Interleaved.Run(1, scale.Pick(7, 1), () => Run(good, 0, fail), () => Run(good, good / GoodForOnePoison, fail));

        var longer = Reading.Median(rounds[1].Zip(rounds[0], (with, without) => (with / without) - 1));
        string[] cells = [what, .. rounds.Select(round => $"{Reading.Median(round.Select(seconds => good / seconds))}"), $"{longer.Value:0.0 %}"];
        return new(
            [new(cells, $"less than {MostShare:0 %}", longer.Value < MostShare, IsRelative: true)],
            $"{good:#,0} good messages a round, {good / GoodForOnePoison:#,0} poison ones; log lines are made and written nowhere");
    }

    private static double Run(int good, int poison, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> fail)
    {
        var broker = new InMemoryBroker();
        Fill(broker, good, poison).Wait();

        var left = good;
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.AddProvider(new Nowhere());
        builder.Services.AddHoldfast().UseBroker(_ => broker).Handle(Queue, HandleAsync);
        using var host = builder.Build();
        var start = Stopwatch.GetTimestamp();
        host.Start();
        all.Task.Wait();
        var seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        host.StopAsync().Wait();
        return seconds;

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            if (!message.Body.IsEmpty)
                return await fail(message, cancel);

            await Task.Delay(s_work, cancel);
            if (Interlocked.Decrement(ref left) == 0)
                all.SetResult();
            return Settlement.Complete;
        }
    }

    private static async ValueTask<Settlement> FailLateAsync(HeldMessage message, CancellationToken cancel)
    {
        await Task.Delay(s_work, cancel);
        throw new InvalidOperationException("No luck.");
    }

    private static async Task Fill(InMemoryBroker broker, int good, int poison)
    {
        await using var sender = await broker.OpenSenderAsync(Queue, CancellationToken.None);
        for (var i = 0; i < good; i++)
        {
            await sender.SendAsync(new Message { Id = $"{i}" }, TimeSpan.Zero, CancellationToken.None);
            if (poison > 0 && i % GoodForOnePoison == 0)
                await sender.SendAsync(new Message { Id = $"poison {i}", Body = "poison"u8.ToArray() }, TimeSpan.Zero, CancellationToken.None);
        }
    }

    /// <summary>A log whose lines are made, as they would be for a terminal, and then forgotten.</summary>
    private sealed class Nowhere : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            TextWriter.Null.WriteLine(formatter(state, exception));

        public void Dispose()
        {
        }
    }
}
