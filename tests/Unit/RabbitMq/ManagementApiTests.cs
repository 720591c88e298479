using System.Net;
using System.Net.Sockets;
using System.Text;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ManagementApiTests
{
    private const string At = "The management API at http://one:15672";
    private const string Cure = "Check Worker__RabbitMq__ManagementUri, or leave it out.";

    [Theory]
    [InlineData("""{"arguments":{"x-consumer-timeout":5000},"effective_policy_definition":{}}""", 5000)]
    [InlineData("""{"arguments":{},"effective_policy_definition":{"consumer-timeout":60000}}""", 60000)]
    [InlineData("""{"arguments":{"x-consumer-timeout":5000},"effective_policy_definition":{"consumer-timeout":60000}}""", 5000)]
    [InlineData("""{"arguments":{"x-consumer-timeout":60000},"effective_policy_definition":{"consumer-timeout":5000}}""", 5000)]
    [InlineData("""{"arguments":{"x-consumer-timeout":5000}}""", 5000)]
    public async Task The_queue_s_consumer_timeout_is_the_smaller_of_argument_and_policy(string answer, int milliseconds) =>
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), await AskAsync(answer));

    [Theory]
    [InlineData("""{"arguments":{},"effective_policy_definition":{}}""")]
    [InlineData("""{"arguments":[],"effective_policy_definition":[]}""")]
    [InlineData("""{"arguments":{"x-queue-type":"quorum"},"effective_policy_definition":null}""")]
    [InlineData("""{"arguments":{"x-consumer-timeout":"5000"}}""")]
    [InlineData("""{"arguments":{"x-consumer-timeout":0}}""")]
    [InlineData("{}")]
    public async Task Without_either_the_queue_has_none_of_its_own(string answer) => Assert.Null(await AskAsync(answer));

    [Fact]
    public async Task It_asks_for_that_queue_in_the_user_s_name()
    {
        var answer = new Answer("{}");
        using var api = new ManagementApi(ManagementAddress.Parse("http://me:s%C3%A9cret@one:15672"), answer);

        await api.ReportAsync("/", "orders", TestContext.Current.CancellationToken);

        Assert.Equal("GET http://one:15672/api/queues/%2F/orders?columns=name,type,durable,auto_delete,arguments,effective_policy_definition", answer.Asked);
        Assert.Equal("Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes("me:sécret")), answer.Authorization);
    }

    [Fact]
    public async Task Of_several_queues_it_tells_each_by_its_name()
    {
        var answer = new Answer("""{"items":[{"name":"orders.wait.5000","type":"quorum"},{"name":"orders.replay"}],"page":1}""");
        using var api = new ManagementApi(ManagementAddress.Parse("http://one:15672"), answer);

        var reports = await api.ReportsAsync("/", @"^orders\.(wait|replay)\b", TestContext.Current.CancellationToken);

        Assert.Equal([("orders.wait.5000", "quorum"), ("orders.replay", null)], reports.Select(report => (report.Name, report.Type)));
        Assert.StartsWith("GET http://one:15672/api/queues/%2F?page=1&page_size=500&use_regex=true&name=%5Eorders%5C.%28wait%7Creplay%29%5Cb&columns=name,type,durable,auto_delete,arguments,effective_policy_definition", answer.Asked, StringComparison.Ordinal);
        using var other = new ManagementApi(ManagementAddress.Parse("http://one:15672"), new Answer("{}"));
        await Assert.ThrowsAsync<BrokerException>(() => other.ReportsAsync("/", "", TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData(HttpStatusCode.Unauthorized, "refused user 'me' (it must know the password, and the user must have the tag management)", false)]
    [InlineData(HttpStatusCode.NotFound, "has no queue 'orders' in virtual host 'shop'", false)]
    [InlineData(HttpStatusCode.Moved, "answered 301 MovedPermanently, not like RabbitMQ's management API", false)]
    [InlineData(HttpStatusCode.ServiceUnavailable, "answered 503 ServiceUnavailable", true)]
    public async Task A_refusal_is_told_in_a_line(HttpStatusCode status, string what, bool isTransient) =>
        Tells(await ProblemAsync(new Answer("{}", status)), what, isTransient);

    [Theory]
    [InlineData("<html>")]
    [InlineData("[]")]
    public async Task An_answer_from_something_else_is_told_in_a_line(string answer) =>
        Tells(await ProblemAsync(new Answer(answer)), "did not answer like RabbitMQ's management API", isTransient: false);

    [Fact]
    public async Task A_server_out_of_reach_is_told_in_a_line()
    {
        Tells(await ProblemAsync(new Failure(new HttpRequestException("no", new SocketException((int)SocketError.ConnectionRefused)))), "can't be reached (Connection refused)", isTransient: true);
        Tells(await ProblemAsync(new Failure(new TaskCanceledException("late", new TimeoutException()))), "did not answer in time", isTransient: true);
    }

    [Fact]
    public async Task Called_off_it_is_called_off()
    {
        using var api = new ManagementApi(ManagementAddress.Parse("http://one:15672"), new Answer("{}"));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => api.ReportAsync("/", "orders", new CancellationToken(true)));
    }

    private static void Tells(BrokerException problem, string what, bool isTransient)
    {
        Assert.Equal(($"{At} {what}. {Cure}", isTransient), (problem.Message, problem.IsTransient));
        Assert.DoesNotContain("secret", problem.ToString());
    }

    private static async Task<TimeSpan?> AskAsync(string answer)
    {
        using var api = new ManagementApi(ManagementAddress.Parse("http://one:15672"), new Answer(answer));
        return (await api.ReportAsync("/", "orders", TestContext.Current.CancellationToken)).ConsumerTimeout;
    }

    private static async Task<BrokerException> ProblemAsync(HttpMessageHandler handler)
    {
        using var api = new ManagementApi(ManagementAddress.Parse("http://me:secret@one:15672"), handler);
        return await Assert.ThrowsAsync<BrokerException>(() => api.ReportAsync("shop", "orders", TestContext.Current.CancellationToken));
    }

    private sealed class Answer(string body, HttpStatusCode status = HttpStatusCode.OK) : HttpMessageHandler
    {
        public string? Asked { get; private set; }

        public string? Authorization { get; private set; }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            Asked = $"{request.Method} {request.RequestUri!.AbsoluteUri}";
            Authorization = request.Headers.Authorization?.ToString();
            return Task.FromResult(new HttpResponseMessage(status) { Content = new StringContent(body) });
        }
    }

    private sealed class Failure(Exception problem) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancel) => throw problem;
    }
}
