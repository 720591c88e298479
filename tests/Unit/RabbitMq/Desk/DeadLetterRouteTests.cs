using System.Net;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class DeadLetterRouteTests
{
    private const string Cure = "set a policy with dead-letter-exchange \"\" and dead-letter-routing-key orders.dead";
    private const string LooksAside = $"the dead commands look into 'orders.dead', unless --from names another queue; {Cure}, to have it there.";

    [Theory]
    [InlineData("{}", Severity.Warning, $"is lost: the queue names no dead-letter exchange; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"","x-dead-letter-routing-key":"orders.dead"}""", Severity.Ok, "goes on to 'orders.dead'.")]
    [InlineData("""{"x-dead-letter-exchange":""}""", Severity.Warning, $"comes back to 'orders', or is lost: its dead-letter-exchange is \"\", and the key is its own name; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"","x-dead-letter-routing-key":"oders.dead"}""", Severity.Warning, $"is lost: it is sent to the queue 'oders.dead', which is not there; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"","x-dead-letter-routing-key":"orders-dlq"}""", Severity.Warning, $"goes on to 'orders-dlq': {LooksAside}")]
    [InlineData("""{"x-dead-letter-exchange":"nowhere"}""", Severity.Warning, $"is lost: it is sent to the exchange 'nowhere', which is not there; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"unbound"}""", Severity.Warning, $"is lost: it is sent to the exchange 'unbound', which is bound to nothing; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"direct"}""", Severity.Warning, $"is lost: it is sent to the exchange 'direct', which is bound to nothing by the key 'orders'; {Cure}.")]
    [InlineData("""{"x-dead-letter-exchange":"direct","x-dead-letter-routing-key":"dead"}""", Severity.Ok, "goes on to 'orders.dead' by the exchange 'direct'.")]
    [InlineData("""{"x-dead-letter-exchange":"direct","x-dead-letter-routing-key":"other"}""", Severity.Warning, $"goes on to 'orders-dlq' by the exchange 'direct': {LooksAside}")]
    [InlineData("""{"x-dead-letter-exchange":"fanout"}""", Severity.Warning, $"goes on to the exchange 'archive' by the exchange 'fanout': {LooksAside}")]
    [InlineData("""{"x-dead-letter-exchange":"topic"}""", Severity.Ok, "goes on to 'orders.dead' by the exchange 'topic', as far as its bindings take the key 'orders'.")]
    public async Task What_the_server_gives_up_is_followed_to_its_end(string arguments, Severity severity, string told)
    {
        var finding = Assert.Single(await FindingsAsync(arguments));

        Assert.Equal(Finding(severity, $"What the server itself gives up {told}"), finding);
    }

    [Fact]
    public async Task A_dead_letter_queue_that_the_worker_will_declare_is_not_missed() => Assert.Equal(
        Finding(Severity.Ok, "What the server itself gives up goes on to 'orders.dead', once the worker has declared that."),
        Assert.Single(await FindingsAsync("""{"x-dead-letter-exchange":"","x-dead-letter-routing-key":"orders.dead"}""", isDeadThere: false, isDeclared: true)));

    [Theory]
    [InlineData("""{"x-message-ttl":60000}""", "is lost")]
    [InlineData("""{"x-message-ttl":60000,"x-dead-letter-exchange":"","x-dead-letter-routing-key":"orders.dead"}""", "goes on to 'orders.dead'")]
    public async Task What_waits_for_too_long_is_told_with_where_it_goes(string arguments, string where) => Assert.Contains(
        Finding(Severity.Warning, $"What has waited in the queue for 00:01:00 is given up unhandled (message-ttl), and {where}. Take that away where a worker that was away for so long is to find it still."),
        await FindingsAsync(arguments));

    [Fact]
    public async Task A_server_that_does_not_tell_leaves_the_rest_of_the_check_as_it_is()
    {
        var finding = Assert.Single(await FindingsAsync("""{"x-dead-letter-exchange":"secret"}"""));

        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.StartsWith("What the server itself gives up goes where we can't follow it: The management API at ", finding.Text, StringComparison.Ordinal);
    }

    private static Finding Finding(Severity severity, string text) => new(severity, text);

    private static async Task<Finding[]> FindingsAsync(string arguments, bool isDeadThere = true, bool isDeclared = false)
    {
        using var api = new ManagementApi(ManagementAddress.Parse("http://host:15672"), new Server(isDeadThere));
        var report = QueueReport.Parse(JsonDocument.Parse($$"""{"name":"orders","arguments":{{arguments}}}""").RootElement, serverTime: null);
        return await new DeadLetterRoute(api, "/", "orders", isDeclared).FindingsAsync(report, TestContext.Current.CancellationToken);
    }

    /// <summary>A management API that knows of two queues and some exchanges.</summary>
    private sealed class Server(bool isDeadThere) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancel)
        {
            var answer = request.RequestUri!.AbsolutePath.Split('/')[2..] switch
            {
                ["queues", _, "orders-dlq"] => "{}",
                ["queues", _, "orders.dead"] when isDeadThere => "{}",
                ["exchanges", _, "unbound"] => """{"type":"fanout"}""",
                ["exchanges", _, ("direct" or "fanout" or "topic") and var type] => $$"""{"type":"{{type}}"}""",
                ["exchanges", _, "unbound", "bindings", "source"] => "[]",
                ["exchanges", _, "direct", "bindings", "source"] => $"[{Bound("orders.dead", "dead")},{Bound("orders-dlq", "other")}]",
                ["exchanges", _, "fanout", "bindings", "source"] => $"[{Bound("archive", "", "exchange")}]",
                ["exchanges", _, "topic", "bindings", "source"] => $"[{Bound("orders-dlq", "#")},{Bound("orders.dead", "ord*")}]",
                _ => null,
            };
            var status = request.RequestUri.AbsolutePath.Contains("secret", StringComparison.Ordinal) ? HttpStatusCode.Forbidden : answer is null ? HttpStatusCode.NotFound : HttpStatusCode.OK;
            return Task.FromResult(new HttpResponseMessage(status) { Content = new StringContent(answer ?? "{}") });
        }

        private static string Bound(string to, string key, string type = "queue") => $$"""{"destination":"{{to}}","destination_type":"{{type}}","routing_key":"{{key}}"}""";
    }
}
