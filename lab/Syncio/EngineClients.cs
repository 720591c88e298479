using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Lab.Syncio;

/// <summary>The same clients as messages: the engine holds so many at once, each under lease, and each that ends sends the next.</summary>
internal static class EngineClients
{
    private const string Queue = "orders";
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(100);

    public static TimeSpan Lock { get; } = TimeSpan.FromSeconds(5);

    public static async Task<SyncioFinding> WatchAsync(SyncioQuestion question)
    {
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { LockDuration = Lock });
        var sender = await broker.OpenSenderAsync(Queue, CancellationToken.None);
        for (var i = 0; i < question.AtOnce; i++)
            await SendAsync(sender);

        var handled = new Handled();
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.Services.AddHoldfast().UseBroker(_ => broker).Handle(Queue, HandleAsync, queue =>
        {
            queue.MaxConcurrency = question.AtOnce;

            // As many as are asked for are held, whatever the machine can carry: the leases are what is tried.
            queue.Admission = AdmissionMode.Fixed;
        });

        var host = builder.Build();
        await host.StartAsync();
        return Look(host.Services.GetRequiredService<IEngine>(), question.Window, handled);

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            if (question.IsBlocking)
                Thread.Sleep(question.Wait);
            else
                await Task.Delay(question.Wait, CancellationToken.None);
            handled.Note();
            await SendAsync(sender);
            return Settlement.Complete;
        }
    }

    private static ValueTask SendAsync(ISender sender) => sender.SendAsync(new Message { Id = $"{Guid.NewGuid()}" }, TimeSpan.Zero, CancellationToken.None);

    private static SyncioFinding Look(IEngine engine, TimeSpan window, Handled handled)
    {
        var blocked = 0;
        for (var left = window; left > TimeSpan.Zero; left -= s_look)
        {
            Thread.Sleep(s_look);
            blocked = Math.Max(blocked, engine.Status.ThreadsBlocked);
        }

        var queue = engine.Status.Queues[0];
        return handled.Describe(new(queue.LeasesHeld, queue.Renewals, queue.Misses, blocked));
    }
}
