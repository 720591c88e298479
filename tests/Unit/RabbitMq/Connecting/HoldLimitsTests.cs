using System.Net;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Connecting;

/// <summary>How long a server lets a queue's deliveries stay in hand, by what its management API answers.</summary>
public sealed class HoldLimitsTests : IDisposable
{
    private static readonly TimeSpan s_otherwise = TimeSpan.FromMinutes(30);

    private readonly Script _script = new();
    private readonly HoldLimits _limits;

    public HoldLimitsTests() => _limits = new HoldLimits(new ManagementApi(ManagementAddress.Parse("http://one:15672"), _script), "/", s_otherwise);

    public void Dispose() => _limits.Dispose();

    [Theory]
    [InlineData("""{"arguments":{"x-consumer-timeout":60000}}""", 1)]
    [InlineData("""{"arguments":{}}""", 30)]
    public async Task It_is_the_queue_s_own_or_else_what_the_setting_says(string report, int minutes)
    {
        _script.Answer = report;

        Assert.Equal(TimeSpan.FromMinutes(minutes), await OfOrdersAsync());
    }

    [Fact]
    public async Task Where_nobody_is_asked_it_is_what_the_setting_says()
    {
        using var limits = new HoldLimits(null, "/", s_otherwise);

        Assert.Equal(s_otherwise, await limits.OfAsync("orders", default));
    }

    [Fact]
    public async Task What_was_told_once_holds_while_nobody_answers()
    {
        _script.Answer = """{"arguments":{"x-consumer-timeout":60000}}""";
        await OfOrdersAsync();
        _script.Answer = null;

        Assert.Equal(TimeSpan.FromMinutes(1), await OfOrdersAsync());
        await Assert.ThrowsAsync<BrokerException>(() => _limits.OfAsync("others", default).AsTask());
    }

    [Theory]
    [InlineData("""{"arguments":{}}""", 1)]
    [InlineData("""{"arguments":{"x-consumer-timeout":30000}}""", 0.5)]
    [InlineData("""{"arguments":{"x-consumer-timeout":300000}}""", 1)]
    [InlineData("""{"arguments":{},"effective_policy_definition":{}}""", 30)]
    [InlineData("""{"arguments":{},"effective_policy_definition":[]}""", 30)]
    public async Task A_policy_of_which_nothing_is_told_is_not_taken_for_none(string report, double minutes)
    {
        _script.Answer = """{"arguments":{},"effective_policy_definition":{"consumer-timeout":60000}}""";
        await OfOrdersAsync();
        _script.Answer = report;

        Assert.Equal(TimeSpan.FromMinutes(minutes), await OfOrdersAsync());
    }

    [Fact]
    public async Task A_queue_that_goes_with_its_last_consumer_is_refused()
    {
        _script.Answer = """{"type":"classic","auto_delete":true}""";

        var problem = await Assert.ThrowsAsync<BrokerException>(OfOrdersAsync);

        Assert.StartsWith("orders is deleted with its last consumer (auto-delete)", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stream_is_refused_also_where_it_was_made_anew_as_one(bool wasAnother)
    {
        _script.Answer = """{"type":"quorum"}""";
        if (wasAnother)
            await OfOrdersAsync();
        _script.Answer = """{"type":"stream"}""";

        var problem = await Assert.ThrowsAsync<BrokerException>(OfOrdersAsync);

        Assert.StartsWith("orders is a stream, which a worker can't work off", problem.Message, StringComparison.Ordinal);
        Assert.False(problem.IsTransient);
    }

    private Task<TimeSpan> OfOrdersAsync() => _limits.OfAsync("orders", default).AsTask();

    private sealed class Script : HttpMessageHandler
    {
        /// <summary>Null where nobody answers.</summary>
        public string? Answer { get; set; }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Answer is null
            ? throw new HttpRequestException("Nobody there.")
            : Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(Answer) });
    }
}
