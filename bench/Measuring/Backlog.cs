using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>A queue of the embedded broker that is filled before it is emptied, for that alone is measured.</summary>
internal sealed class Backlog
{
    public const string Queue = "bench";

    private readonly int _messages;

    private Backlog(int messages) => _messages = messages;

    public InMemoryBroker Broker { get; } = new();

    public static Backlog Of(int messages, Func<int, Message> message)
    {
        var backlog = new Backlog(messages);
        backlog.FillAsync(message).Wait();
        return backlog;
    }

    /// <summary>What each of its messages costs.</summary>
    public Cost CostOfEach(Action<Backlog> empty)
    {
        GC.Collect();
        return Cost.OfEach(_messages, () => empty(this));
    }

    /// <summary>The engine, silent and not yet started.</summary>
    public IHost Engine(Action<HoldfastBuilder> handle)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.SetMinimumLevel(LogLevel.None);
        handle(builder.Services.AddHoldfast().UseBroker(_ => Broker));
        return builder.Build();
    }

    /// <summary>Has the engine run until nothing is left.</summary>
    public void Empty(IHost engine)
    {
        engine.Start();
        WaitUntilEmpty();
        engine.StopAsync().Wait();
    }

    public void WaitUntilEmpty()
    {
        while (Broker.Counts(Queue) is { Waiting: > 0 } or { Held: > 0 })
            Thread.Sleep(1);
    }

    private async Task FillAsync(Func<int, Message> message)
    {
        await using var sender = await Broker.OpenSenderAsync(Queue, CancellationToken.None);
        for (var i = 0; i < _messages; i++)
            await sender.SendAsync(message(i), TimeSpan.Zero, CancellationToken.None);
    }
}
