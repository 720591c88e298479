using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>The engine with the Http handler, on a queue that is filled before.</summary>
internal static class Forwarding
{
    private const string Queue = "orders";

    public static Cost Run(string url, bool http2, int messages)
    {
        var broker = new InMemoryBroker();
        FillAsync(broker, messages).Wait();
        GC.Collect();
        return Cost.OfEach(messages, () => Drain(broker, url, http2));
    }

    private static void Drain(InMemoryBroker broker, string url, bool http2)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.SetMinimumLevel(LogLevel.None);
        builder.Services.AddHoldfast().UseBroker(_ => broker).Handle(
            Queue,
            _ => new HttpHandler(Queue, new HttpOptions { Url = url, Http2 = http2 }, TimeSpan.FromMinutes(10), TimeProvider.System),
            queue => (queue.MaxConcurrency, queue.Admission) = (HttpCase.AtOnce, AdmissionMode.Fixed));
        using var host = builder.Build();
        host.Start();
        while (broker.Counts(Queue) is { Waiting: > 0 } or { Held: > 0 })
            Thread.Sleep(1);
        host.StopAsync().Wait();
    }

    private static async Task FillAsync(InMemoryBroker broker, int messages)
    {
        await using var sender = await broker.OpenSenderAsync(Queue, CancellationToken.None);
        for (var i = 0; i < messages; i++)
            await sender.SendAsync(new Message { Id = $"{i}", Body = HttpCase.Body, ContentType = HttpCase.ContentType }, TimeSpan.Zero, CancellationToken.None);
    }
}
