using System.Net;
using System.Net.Http.Headers;

namespace Holdfast.Bench;

/// <summary>Loops that do nothing but post, with one HttpClient.</summary>
internal static class PostLoops
{
    // What a message is sent with by the Http handler, beside its content type. Made once: here they only have to be sent.
    private static readonly (string Name, string Value)[] s_headers =
    [
        ("User-Agent", "Holdfast/0.1.0"),
        ("ce-specversion", "1.0"),
        ("ce-id", "12345"),
        ("ce-source", "orders"),
        ("ce-type", "holdfast.message"),
        ("ce-time", "2026-11-22T15:00:00.000Z"),
        ("Holdfast-Queue", "orders"),
        ("Holdfast-Attempt", "1"),
        ("Holdfast-Delivery-Count", "1"),
        ("Holdfast-Fencing-Token", "123456789"),
        ("Holdfast-Priority", "0"),
        ("Holdfast-Lease-Remaining", "29.000"),
        ("Holdfast-Lease-Deadline", "2026-11-22T15:00:29.000Z"),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"),
    ];

    public static Cost Run(string url, bool http2, int messages, bool withHeaders)
    {
        using var client = new HttpClient();
        var left = messages;
        GC.Collect();
        return Cost.OfEach(messages, () => Task.WaitAll([.. Enumerable.Range(0, HttpCase.AtOnce).Select(_ => Task.Run(LoopAsync))]));

        async Task LoopAsync()
        {
            while (Interlocked.Decrement(ref left) >= 0)
            {
                using var request = new HttpRequestMessage(HttpMethod.Post, url)
                {
                    Version = http2 ? HttpVersion.Version20 : HttpVersion.Version11,
                    VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                    Content = new ByteArrayContent(HttpCase.Body) { Headers = { ContentType = new MediaTypeHeaderValue(HttpCase.ContentType) } },
                };
                foreach (var (name, value) in withHeaders ? s_headers : [])
                    request.Headers.TryAddWithoutValidation(name, value);
                using var answer = await client.SendAsync(request);
                answer.EnsureSuccessStatusCode();
            }
        }
    }
}
