using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Tests.Kit;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The whole engine, with the Http handler, on the embedded broker.</summary>
public sealed class ForwardingTests : IAsyncDisposable
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(10);

    private readonly InMemoryBroker _broker = new(new() { LockDuration = s_lock });

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task A_lost_lease_aborts_the_request_and_the_redelivery_is_posted_anew()
    {
        var aborted = new TaskCompletionSource();
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            if (context.Request.Headers["Holdfast-Delivery-Count"] != "1")
                return Task.CompletedTask;

            // Not before: a lease that is lost on the way has no request to abort.
            _broker.Faults.RefuseRenewals(1);
            return HangAsync(context, aborted);
        });
        using var host = await StartAsync(endpoint.Url, RenewEarly);

        await _broker.SendAsync("orders", "a");

        await aborted.Task.WaitAsync(s_tooLong);
        await Eventually.HoldsAsync("the redelivery to be completed", () => Queue(host).Completed == 1);

        // The broker gives the message out again as it refuses; we may hear of the refusal after that.
        await Eventually.HoldsAsync("the miss to be counted", () => Queue(host).Misses == 1);
        Assert.Equal(2, endpoint.Posted.Count);
        await host.StopAsync();
    }

    [Fact]
    public async Task The_end_of_the_drain_aborts_the_request_and_gives_the_message_back()
    {
        var (asked, aborted) = (new TaskCompletionSource(), new TaskCompletionSource());
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            asked.SetResult();
            return HangAsync(context, aborted);
        });
        using var host = await StartAsync(endpoint.Url, engine: options => options.DrainTimeout = TimeSpan.FromMilliseconds(100));
        await _broker.SendAsync("orders", "a");
        await asked.Task.WaitAsync(s_tooLong);

        await host.StopAsync().WaitAsync(s_tooLong);

        await aborted.Task.WaitAsync(s_tooLong);
        Assert.Equal(1, _broker.Counts("orders").Waiting);
    }

    [Fact]
    public async Task The_lease_is_told_and_kept_for_as_long_as_the_endpoint_takes()
    {
        const int Renewals = 3;
        var (enough, before) = (new TaskCompletionSource(), DateTimeOffset.UtcNow);
        await using var endpoint = await WebEndpoint.StartAsync(context => enough.Task.WaitAsync(context.RequestAborted));
        using var host = await StartAsync(endpoint.Url, RenewEarly);

        await _broker.SendAsync("orders", "a");

        await Eventually.HoldsAsync("the lease to be renewed a few times", () => Queue(host).Renewals >= Renewals);
        enough.SetResult();
        await Eventually.HoldsAsync("the message to be completed", () => Queue(host).Completed == 1);
        var headers = Assert.Single(endpoint.Posted).Headers;
        Assert.InRange(double.Parse(headers["Holdfast-Lease-Remaining"]), 0.001, s_lock.TotalSeconds);
        Assert.InRange(DateTimeOffset.Parse(headers["Holdfast-Lease-Deadline"]), before, DateTimeOffset.UtcNow + s_lock);
        Assert.Equal(0, Queue(host).Misses);
        await host.StopAsync();
    }

    [Fact]
    public async Task The_endpoint_s_spans_belong_below_the_handler_s()
    {
        using var spans = new SpanLog();
        await using var endpoint = await WebEndpoint.StartAsync(200);
        using var host = await StartAsync(endpoint.Url);

        await _broker.SendAsync("orders", new Message { Id = "a", Properties = new Dictionary<string, object?> { ["traceparent"] = spans.TraceParent } });

        await Eventually.HoldsAsync("the handler's span to end", () => spans.Of("process").Length == 1);
        var process = spans.Of("process")[0];
        Assert.Equal(200, process.GetTagItem("http.response.status_code"));
        Assert.Equal($"00-{spans.Parent.TraceId}-{process.SpanId}-01", Assert.Single(endpoint.Posted).Headers["traceparent"]);
        await host.StopAsync();
    }

    [Fact]
    public async Task What_fails_is_tried_again_and_counts_its_attempts()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.StatusCode = context.Request.Headers["Holdfast-Attempt"] == "3" ? 200 : 500;
            return Task.CompletedTask;
        });
        using var host = await StartAsync(endpoint.Url, queue => queue.Retry.ImmediateDelay = TimeSpan.FromMilliseconds(1));

        await _broker.SendAsync("orders", "a");

        await Eventually.HoldsAsync("the message to be completed", () => Queue(host).Completed == 1);
        Assert.Equal(["1", "2", "3"], endpoint.Posted.Select(posted => posted.Headers["Holdfast-Attempt"]));
        await host.StopAsync();
    }

    [Theory]
    [InlineData(400, "http_400", "answered 400 Bad Request: no such customer")]
    [InlineData(500, "handler_failed", "answered 500 Internal Server Error: no such customer")]
    public async Task A_dead_letter_tells_what_the_endpoint_said(int status, string reason, string said)
    {
        await using var endpoint = await WebEndpoint.StartAsync(status, "no such customer");
        using var host = await StartAsync(endpoint.Url, queue => (queue.Retry.Immediate, queue.Retry.MaxDeliveries) = (0, 1));

        await _broker.SendAsync("orders", "a");

        await Eventually.HoldsAsync("the message to be put aside", () => Queue(host).DeadLettered == 1);
        await using var dead = await _broker.OpenReceiverAsync("orders.dead", default);
        var letter = (await dead.TakeAsync()).Message;
        Assert.Equal(reason, letter.Properties[DeadLetterProperties.Reason]);
        Assert.Contains($"{endpoint.Url} {said}", (string?)letter.Properties[DeadLetterProperties.Description]);
        await host.StopAsync();
    }

    private static async Task HangAsync(HttpContext context, TaskCompletionSource aborted)
    {
        using var told = context.RequestAborted.Register(aborted.SetResult);
        await aborted.Task;
    }

    // So that many renewals fit into a lock, and a busy machine has seconds for each.
    private static void RenewEarly(QueueOptions options) => options.Lease.RenewAfter = 0.1;

    private static QueueStatus Queue(IHost host) => host.Services.GetRequiredService<IEngine>().Status.Queues[0];

    private async Task<IHost> StartAsync(string url, Action<QueueOptions>? queue = null, Action<HoldfastOptions>? engine = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast(engine ?? (_ => { })).UseBroker(_ => _broker).Handle("orders", _ => Posting.Handler(url), queue);
        var host = builder.Build();
        await host.StartAsync();
        return host;
    }
}
