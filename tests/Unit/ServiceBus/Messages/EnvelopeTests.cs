using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What a message looks like as it is sent.</summary>
public sealed class EnvelopeTests
{
    [Fact]
    public void A_message_arrives_as_it_was_sent()
    {
        var message = new Message
        {
            Id = "order-1",
            Body = new byte[] { 1, 2, 3 },
            Priority = 7,
            ContentType = "application/json",
            ContentEncoding = "gzip",
            CorrelationId = "basket",
            SessionId = "shop",
            Subject = "paid",
            ReplyTo = "answers",
            TimeToLive = TimeSpan.FromMinutes(5),
            Properties = new Dictionary<string, object?>
            {
                ["text"] = "grün",
                ["number"] = 42L,
                ["none"] = null,
                ["time"] = Mail.Noon,
                ["span"] = TimeSpan.FromTicks(12345),
                ["id"] = Guid.Empty,
                ["bytes"] = new byte[] { 9 },
            },
        };

        var arrived = Letter.Read(Mail.Travel(Envelope.Of(message, Mail.Noon)), 1);

        Assert.Equal((message.Id, message.Priority, message.ContentType, message.CorrelationId, message.SessionId), (arrived.Id, arrived.Priority, arrived.ContentType, arrived.CorrelationId, arrived.SessionId));
        Assert.Equal("gzip", arrived.ContentEncoding);
        Assert.Equal(("paid", "answers", TimeSpan.FromMinutes(5)), (arrived.Subject, arrived.ReplyTo, arrived.TimeToLive));
        Assert.Equal(message.Body.ToArray(), arrived.Body.ToArray());
        Assert.Equal(message.Properties, arrived.Properties);
    }

    [Theory]
    [InlineData(0.5, 1u)]
    [InlineData(60_000, 60_000u)]
    [InlineData(90 * 86_400_000.0, uint.MaxValue)]
    public void A_life_is_told_in_both_ways_from_when_it_begins(double milliseconds, uint header)
    {
        var life = TimeSpan.FromMilliseconds(milliseconds);

        var now = Mail.Travel(Envelope.Of(new Message { Id = "a", TimeToLive = life }, Mail.Noon));
        var later = Mail.Travel(Envelope.Of(new Message { Id = "a", TimeToLive = life }, Mail.Noon, Mail.Noon.AddHours(1)));

        Assert.Equal(header, now.Header!.TimeToLive);
        Assert.Equal((AmqpTimestamp.From(Mail.Noon), AmqpTimestamp.From(Mail.Noon + life)), (now.Properties!.CreationTime, now.Properties.AbsoluteExpiryTime));
        Assert.Equal(AmqpTimestamp.From(Mail.Noon.AddHours(1) + life), later.Properties!.AbsoluteExpiryTime);
        Assert.Equal(Math.Ceiling(milliseconds), Letter.Read(now, 1).TimeToLive?.TotalMilliseconds);
    }

    [Fact]
    public void Who_may_live_for_ever_has_no_end()
    {
        Assert.Null(Mail.Travel(Envelope.Of(new Message { Id = "a" }, Mail.Noon)).Header);
        Assert.Null(Mail.Travel(Envelope.Of(new Message { Id = "a", TimeToLive = TimeSpan.MaxValue }, Mail.Noon)).Properties!.AbsoluteExpiryTime);
        Assert.Null(Letter.Read(new AmqpMessage { Header = new() { TimeToLive = 0 } }, 1).TimeToLive);
        foreach (var (from, to) in new[] { (5, 5), (253402300800000, 253402300800001), (long.MinValue, long.MinValue + 5), (long.MaxValue, long.MinValue) })
            Assert.Null(Letter.Read(new AmqpMessage { Properties = new() { CreationTime = new(from), AbsoluteExpiryTime = new(to) } }, 1).TimeToLive);
        Assert.NotNull(Letter.Read(new AmqpMessage { Properties = new() { CreationTime = new(long.MinValue), AbsoluteExpiryTime = new(long.MaxValue) } }, 1).TimeToLive);
    }

    [Theory]
    [InlineData("traceparent", "given")]
    [InlineData("Diagnostic-Id", "another")]
    public void A_trace_is_also_told_where_Azures_older_clients_look_unless_something_is_there(string name, string expected)
    {
        var sent = Mail.Travel(Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["traceparent"] = "given", [name] = expected } }, Mail.Noon));

        Assert.Equal(("given", expected), (sent.ApplicationProperties!["traceparent"], sent.ApplicationProperties["Diagnostic-Id"]));
    }

    [Fact]
    public void What_is_sent_for_later_says_when()
    {
        var sent = Mail.Travel(Envelope.Of(new Message { Id = "a" }, Mail.Noon, Mail.Noon.AddHours(1)));

        Assert.Equal(AmqpTimestamp.From(Mail.Noon.AddHours(1)), sent.MessageAnnotations!["x-opt-scheduled-enqueue-time"]);
    }

    [Fact]
    public void A_letter_that_was_read_can_be_sent_on()
    {
        var read = PropertyValues.Read(Mail.Travel(Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["letter"] = 'x' } }, Mail.Noon)).ApplicationProperties);

        var sent = Mail.Travel(Envelope.Of(new Message { Id = "b", Properties = read }, Mail.Noon));

        Assert.Equal("x", sent.ApplicationProperties!["letter"]);
    }

    [Fact]
    public void A_property_that_does_not_fit_is_named()
    {
        var problem = Assert.Throws<BrokerException>(() => Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["list"] = new List<int>() } }, Mail.Noon));

        Assert.False(problem.IsTransient);
        Assert.Contains("The property list is a List", problem.Message, StringComparison.Ordinal);
    }
}
