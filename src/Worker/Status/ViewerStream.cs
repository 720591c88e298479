using Holdfast.Worker.Management;

namespace Holdfast.Worker.Status;

/// <summary>One viewer's server-sent events: the latest frame each time the one before is on its way. What a slow viewer misses is made up for by a whole one.</summary>
internal static class ViewerStream
{
    private static readonly TimeSpan s_comeBackAfter = TimeSpan.FromSeconds(10);

    // A laptop that was closed keeps its place, and memory for what it does not take, until its connection is found dead: that may be never.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public static async Task SendAsync(HttpContext context, StatusFeed feed, Patience port, TimeProvider time)
    {
        context.Response.Headers.CacheControl = "no-store";
        if (!feed.TryEnter(out var latest))
        {
            await RefuseAsync(context.Response, feed.Refusal, context.RequestAborted);
            return;
        }

        // A viewer that takes nothing any more would hold up the stop.
        using var patience = new CancellationTokenSource(Timeout.InfiniteTimeSpan, time);
        await using var cut = port.CutAtTheEnd(context);
        await using var lost = patience.Token.UnsafeRegister(static context => ((HttpContext)context!).Abort(), context);
        try
        {
            context.Response.ContentType = "text/event-stream";

            // What a proxy gathers comes late.
            context.Response.Headers["X-Accel-Buffering"] = "no";
            await context.Response.Body.WriteAsync("retry: 1000\n\n"u8.ToArray(), context.RequestAborted);
            await context.Response.Body.FlushAsync(context.RequestAborted);
            await FollowAsync(context.Response.Body, feed, latest, patience, context.RequestAborted);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // It has closed the page, or is taken to have.
        }
        finally
        {
            feed.Leave();
        }
    }

    private static async Task FollowAsync(Stream body, StatusFeed feed, long latest, CancellationTokenSource patience, CancellationToken cancel)
    {
        var (seen, shown) = (latest, (long?)null);
        while (await feed.NextAsync(seen, cancel) is { } frame)
        {
            patience.CancelAfter(s_patience);
            await body.WriteAsync(frame.Number == shown + 1 ? frame.Change : frame.Whole, cancel);
            await body.FlushAsync(cancel);
            patience.CancelAfter(Timeout.InfiniteTimeSpan);
            seen = frame.Number;
            shown = seen;
        }
    }

    private static Task RefuseAsync(HttpResponse response, string why, CancellationToken cancel)
    {
        response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        response.Headers.RetryAfter = $"{s_comeBackAfter.TotalSeconds:0}";
        response.ContentType = "text/plain; charset=utf-8";
        return response.WriteAsync($"{why}\n", cancel);
    }
}
