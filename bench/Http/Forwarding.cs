using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Bench;

/// <summary>The engine with the Http handler.</summary>
internal static class Forwarding
{
    public static Cost Run(string url, bool http2, int messages) =>
        Backlog.Of(messages, i => new Message { Id = $"{i}", Body = HttpCase.Body, ContentType = HttpCase.ContentType })
            .CostOfEach(backlog => Drain(backlog, new HttpOptions { Url = url, Http2 = http2 }));

    private static void Drain(Backlog backlog, HttpOptions options)
    {
        using var engine = backlog.Engine(holdfast => holdfast.Handle(
            Backlog.Queue,
            _ => new HttpHandler(Backlog.Queue, options, TimeSpan.FromMinutes(10), TimeProvider.System),
            queue => (queue.MaxConcurrency, queue.Admission) = (HttpCase.AtOnce, AdmissionMode.Fixed)));
        backlog.Empty(engine);
    }
}
