using System.Net;
using System.Net.Http.Headers;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Bench;

/// <summary>How many messages the engine forwards to an HTTP endpoint, beside loops that do nothing but post.</summary>
internal static class HttpCase
{
    private const string Queue = "orders";
    private const string ContentType = "application/json";
    private const int AtOnce = 64;
    private const double LeastRate = 0.8;

    private static readonly byte[] s_body = new byte[1024];

    public static Case Case { get; } = new(
        "http",
        $"the Http handler forwards messages of {s_body.Length} bytes, {AtOnce} at once, at {LeastRate} or more of the rate at which as many loops post the same bodies with an HttpClient to the same server; the queue is filled before.",
        ["what", "Holdfast", "HttpClient in loops", "ratio"],
        [new("HTTP/1.1", scale => Measure(scale, http2: false)), new("HTTP/2", scale => Measure(scale, http2: true))]);

    private static Outcome Measure(Scale scale, bool http2)
    {
        using var server = new HttpServer();
        var (url, messages) = (server.Url(http2), scale.Pick(30_000, 2_000));
        WarmUp(url, http2, scale);
        var rounds = Interleaved.Run(1, scale.Pick(5, 1), () => Forward(url, http2, messages), () => Post(url, http2, messages));

        double[][] rates = [.. rounds.Select(costs => costs.Select(cost => 1e9 / cost.WallNanoseconds).ToArray())];
        var ratio = Reading.Ratio(rates[0], rates[1]);
        return new(
            [
                new([$"{Name(http2)}, messages a second", .. rates.Select(rate => $"{Reading.Median(rate)}"), $"{ratio}"], $"at least {LeastRate}", ratio.Value >= LeastRate, IsRelative: true),
                new([$"{Name(http2)}, µs of CPU for a message", .. rounds.Select(costs => $"{Reading.Median(costs.Select(cost => cost.CpuNanoseconds / 1000))}"), ""]),
                new([$"{Name(http2)}, bytes for a message", .. rounds.Select(costs => $"{Reading.Median(costs.Select(cost => cost.Bytes))}"), ""]),
            ],
            $"{messages:#,0} messages a round; the server is a process of its own, and its CPU is not counted");
    }

    // Either side is compiled once more when it has become hot.
    private static void WarmUp(string url, bool http2, Scale scale)
    {
        var messages = scale.Pick(10_000, 500);
        for (var i = 0; i < 2; i++)
        {
            Forward(url, http2, messages);
            Post(url, http2, messages);
            JitQuiet.Wait();
        }
    }

    private static string Name(bool http2) => http2 ? "HTTP/2" : "HTTP/1.1";

    private static Cost Forward(string url, bool http2, int messages)
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
            queue => (queue.MaxConcurrency, queue.Admission) = (AtOnce, AdmissionMode.Fixed));
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
            await sender.SendAsync(new Message { Id = $"{i}", Body = s_body, ContentType = ContentType }, TimeSpan.Zero, CancellationToken.None);
    }

    private static Cost Post(string url, bool http2, int messages)
    {
        using var client = new HttpClient { DefaultRequestVersion = http2 ? HttpVersion.Version20 : HttpVersion.Version11, DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact };
        var left = messages;
        GC.Collect();
        return Cost.OfEach(messages, () => Task.WaitAll([.. Enumerable.Range(0, AtOnce).Select(_ => Task.Run(LoopAsync))]));

        async Task LoopAsync()
        {
            while (Interlocked.Decrement(ref left) >= 0)
            {
                using var content = new ByteArrayContent(s_body) { Headers = { ContentType = new MediaTypeHeaderValue(ContentType) } };
                using var answer = await client.PostAsync(url, content);
                answer.EnsureSuccessStatusCode();
            }
        }
    }
}
