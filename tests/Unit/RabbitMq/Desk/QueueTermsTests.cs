using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class QueueTermsTests
{
    private static readonly DateTimeOffset s_now = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public void A_queue_that_fits_gives_no_warning()
    {
        var findings = Findings("""{"type":"quorum","arguments":{"x-dead-letter-exchange":"","x-delivery-limit":10},"effective_policy_definition":{}}""");

        Assert.All(findings, finding => Assert.Equal(Severity.Ok, finding.Severity));
    }

    [Theory]
    [InlineData("""{"type":"quorum","arguments":{"x-delivery-limit":9}}""", Severity.Error, "gives a message up after 10 deliveries (delivery-limit), no later than the worker, whose last one is number 10: it would take the reason with it. Set Worker__Retry__MaxDeliveries to at most 9, or the queue's delivery-limit to at least 10.")]
    [InlineData("""{"type":"quorum","arguments":{"x-delivery-limit":50},"effective_policy_definition":{"delivery-limit":3}}""", Severity.Error, "after 4 deliveries (delivery-limit), no later")]
    [InlineData("""{"type":"quorum","arguments":{"x-delivery-limit":20},"effective_policy_definition":{"delivery-limit":-1}}""", Severity.Ok, "gives a message up after 21 deliveries; the worker before that")]
    [InlineData("""{"type":"quorum","arguments":{"x-delivery-limit":-1},"effective_policy_definition":{"delivery-limit":5}}""", Severity.Error, "after 6 deliveries (delivery-limit), no later")]
    [InlineData("""{"type":"quorum","arguments":{"x-delivery-limit":-1},"effective_policy_definition":{"delivery-limit":-1}}""", Severity.Ok, "sets no limit to deliveries")]
    [InlineData("""{"type":"classic"}""", Severity.Ok, "of type classic.")]
    [InlineData("""{"name":"orders","type":"stream"}""", Severity.Error, "orders is a stream, which a worker can't work off")]
    [InlineData("""{"type":"quorum","arguments":{"x-single-active-consumer":true}}""", Severity.Warning, "one consumer at a time")]
    [InlineData("""{"type":"quorum","arguments":{"x-single-active-consumer":false}}""", Severity.Ok, "serves all its consumers")]
    [InlineData("""{"type":"classic"}""", Severity.Warning, "would come for ever")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-length":5}}""", Severity.Warning, "drops its oldest messages")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-length":5,"x-overflow":"reject-publish"}}""", Severity.Ok, "refuses what is beyond it")]
    [InlineData("""{"type":"classic","arguments":{"x-max-length":5,"x-overflow":"reject-publish-dlx","x-dead-letter-exchange":""}}""", Severity.Warning, "hands it on to where its dead letters go as well (reject-publish-dlx): what is sent again then, as a dead letter that finds no room is every few seconds, is there once for each time.")]
    [InlineData("""{"type":"classic","arguments":{"x-max-length":5,"x-overflow":"reject-publish-dlx"}}""", Severity.Ok, "refuses what is beyond it")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"max-length":5,"overflow":"reject-publish-dlx"}}""", Severity.Warning, "drops its oldest messages")]
    [InlineData("""{"type":"classic","durable":false}""", Severity.Warning, "The queue is not durable: when the server starts anew it is gone")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-priority":9}}""", Severity.Ok, "has priorities up to 9")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-length":5,"x-overflow":"reject-publish"},"effective_policy_definition":{"overflow":"drop-head"}}""", Severity.Warning, "drops its oldest messages")]
    [InlineData("""{"type":"classic","arguments":{"x-max-length":5,"x-overflow":"reject-publish"},"effective_policy_definition":{"overflow":"drop-head"}}""", Severity.Ok, "refuses what is beyond it")]
    [InlineData("""{"type":"quorum","arguments":{"x-expires":2592000000}}""", Severity.Warning, "once nobody has consumed it for 30.00:00:00 (expires)")]
    [InlineData("""{"type":"quorum","arguments":{"x-expires":315360000000}}""", Severity.Warning, "once nobody has consumed it for 3650.00:00:00 (expires)")]
    [InlineData("""{"type":"quorum","arguments":{"x-expires":9223372036854775807}}""", Severity.Ok, "The queue stays")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"consumer-timeout":60000}}""", Severity.Ok, "held for 60 s at most, as the queue says")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"consumer-timeout":0}}""", Severity.Ok, "as Worker__RabbitMq__ConsumerTimeout says")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"consumer-timeout":2147483648}}""", Severity.Ok, "as Worker__RabbitMq__ConsumerTimeout says")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"consumer-timeout":9223372036854775807}}""", Severity.Ok, "as Worker__RabbitMq__ConsumerTimeout says")]
    public void What_does_not_fit_is_told_with_its_cure(string queue, Severity severity, string text) =>
        Assert.Contains(Findings(queue), finding => finding.Severity == severity && finding.Text.Contains(text, StringComparison.Ordinal));

    [Theory]
    [InlineData("""{"arguments":{}}""", true)]
    [InlineData("""{"arguments":{},"effective_policy_definition":{}}""", false)]
    [InlineData("""{"arguments":{},"effective_policy_definition":[]}""", false)]
    public void Policies_of_which_nothing_is_told_are_warned_of(string queue, bool isWarned) =>
        Assert.Equal(isWarned, Findings(queue) is [{ Severity: Severity.Warning, Text: var text }, ..] && text.Contains("does not tell whether policies hold", StringComparison.Ordinal));

    [Fact]
    public void From_4_on_a_quorum_queue_has_a_limit_that_nobody_set() =>
        Assert.Contains(Findings("""{"type":"quorum"}""", new(4, 0), maxDeliveries: 30), finding => finding.Severity == Severity.Error && finding.Text.Contains("after 21 deliveries", StringComparison.Ordinal));

    [Theory]
    [InlineData(true, 0, Severity.Warning)]
    [InlineData(true, 5, Severity.Ok)]
    [InlineData(false, 0, Severity.Ok)]
    [InlineData(false, 9, Severity.Warning)]
    public void Priorities_that_nobody_wants_are_a_matter_of_who_declares_the_queue(bool declare, byte wanted, Severity severity)
    {
        var options = new RabbitMqBrokerOptions { Uri = "amqp://one", Declare = declare, MaxPriority = wanted };
        var terms = new QueueTerms(QueueReport.Parse(JsonDocument.Parse("""{"arguments":{"x-max-priority":5}}""").RootElement, serverTime: null), new(3, 13), options, maxDeliveries: 10);

        Assert.Equal(severity, Assert.Single(terms.Findings(s_now), finding => finding.Text.Contains("priorities", StringComparison.Ordinal)).Severity);
    }

    [Theory]
    [InlineData(4, Severity.Ok, "agrees with ours")]
    [InlineData(61, Severity.Warning, "61 s ahead of ours")]
    [InlineData(-61, Severity.Warning, "61 s behind ours")]
    public void A_clock_that_is_far_off_is_told(int ahead, Severity severity, string text) =>
        Assert.Contains(Findings("{}", serverTime: s_now.AddSeconds(ahead)), finding => finding.Severity == severity && finding.Text.Contains(text, StringComparison.Ordinal));

    [Theory]
    [InlineData("""{"type":"quorum"}""", 3, Severity.Ok)]
    [InlineData("""{"type":"quorum"}""", 4, Severity.Warning)]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"delivery-limit":-1}}""", 4, Severity.Ok)]
    [InlineData("""{"type":"classic"}""", 4, Severity.Ok)]
    public void A_dead_letter_that_looking_may_cost_is_warned_of(string queue, int version, Severity severity) =>
        Assert.Equal(severity, Assert.Single(Terms(queue, new(version, 0)).OfDeadLetters("orders.dead"), finding => finding.Text.Contains("looked at", StringComparison.Ordinal)).Severity);

    [Theory]
    [InlineData("""{"type":"classic","auto_delete":true}""", Severity.Error, "'orders.dead' is deleted with its last consumer (auto-delete)")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"expires":3600000}}""", Severity.Warning, "deletes 'orders.dead', with all dead letters, once nobody has looked at them for 01:00:00 (expires)")]
    [InlineData("""{"type":"classic","durable":false}""", Severity.Error, "'orders.dead' is not durable: when the server starts anew it is gone, with all dead letters")]
    [InlineData("""{"type":"quorum","arguments":{"x-message-ttl":604800000}}""", Severity.Warning, "removes a dead letter that has lain in 'orders.dead' for 7.00:00:00 (message-ttl)")]
    [InlineData("""{"type":"quorum","arguments":{"x-message-ttl":1000,"x-dead-letter-exchange":"","x-dead-letter-routing-key":"archive"}}""", Severity.Warning, "hands on to 'archive', where no dead command looks for it, a dead letter that has lain in 'orders.dead' for 00:00:01")]
    [InlineData("""{"type":"quorum","effective_policy_definition":{"message-ttl":1000,"dead-letter-exchange":"old"}}""", Severity.Warning, "hands on to the exchange 'old', behind which no dead command looks for it, a dead letter")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-length":5}}""", Severity.Warning, "'orders.dead' is limited in length, and drops its oldest messages")]
    [InlineData("""{"type":"quorum","arguments":{"x-max-length":5,"x-overflow":"reject-publish"}}""", Severity.Ok, "'orders.dead' is limited in length, and refuses")]
    [InlineData("""{"type":"quorum"}""", Severity.Ok, "The dead-letter queue stays")]
    [InlineData("""{"type":"quorum"}""", Severity.Warning, "does not tell whether policies hold for 'orders.dead'")]
    public void A_dead_letter_queue_that_does_not_keep_what_it_gets_is_told(string queue, Severity severity, string text) =>
        Assert.Contains(Terms(queue).OfDeadLetters("orders.dead"), finding => finding.Severity == severity && finding.Text.Contains(text, StringComparison.Ordinal));

    private static Finding[] Findings(string queue, Version? version = null, int maxDeliveries = 10, DateTimeOffset? serverTime = null) =>
        [.. Terms(queue, version, maxDeliveries, serverTime).Findings(s_now)];

    private static QueueTerms Terms(string queue, Version? version = null, int maxDeliveries = 10, DateTimeOffset? serverTime = null) =>
        new(QueueReport.Parse(JsonDocument.Parse(queue).RootElement, serverTime), version ?? new(3, 13), new RabbitMqBrokerOptions { Uri = "amqp://one" }, maxDeliveries);
}
