using System.Net;
using System.Net.Http.Headers;

namespace Holdfast.Bench;

/// <summary>Loops that do nothing but post, with one HttpClient.</summary>
internal static class PostLoops
{
    public static Cost Run(string url, bool http2, int messages)
    {
        using var client = new HttpClient { DefaultRequestVersion = http2 ? HttpVersion.Version20 : HttpVersion.Version11, DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact };
        var left = messages;
        GC.Collect();
        return Cost.OfEach(messages, () => Task.WaitAll([.. Enumerable.Range(0, HttpCase.AtOnce).Select(_ => Task.Run(LoopAsync))]));

        async Task LoopAsync()
        {
            while (Interlocked.Decrement(ref left) >= 0)
            {
                using var content = new ByteArrayContent(HttpCase.Body) { Headers = { ContentType = new MediaTypeHeaderValue(HttpCase.ContentType) } };
                using var answer = await client.PostAsync(url, content);
                answer.EnsureSuccessStatusCode();
            }
        }
    }
}
