using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SendingTests : IDisposable
{
    private const string Queue = "sending-tests";

    private readonly SpanLog _spans = new(Queue);
    private readonly HoldfastMeter _meter = new();

    public void Dispose()
    {
        _spans.Dispose();
        _meter.Dispose();
    }

    [Fact]
    public async Task What_is_sent_carries_the_span_that_it_is_sent_in()
    {
        var sent = await SendAsync(new Message { Id = "order", Body = new byte[5], SessionId = "s", Priority = 3, Properties = new Dictionary<string, object?> { ["mine"] = 1 } });

        var span = Assert.Single(_spans.Of("publish"));
        Assert.Equal(($"publish {Queue}", ActivityKind.Producer, "send"), (span.DisplayName, span.Kind, span.GetTagItem("messaging.operation.type")));
        Assert.Equal(("order", 5), (span.GetTagItem("messaging.message.id"), span.GetTagItem("messaging.message.body.size")));
        Assert.Equal((span.Id, 1), (sent.Properties["traceparent"], sent.Properties["mine"]));
        Assert.Equal(("order", "s", 3), (sent.Id, sent.SessionId, sent.Priority));
    }

    [Fact]
    public async Task A_context_that_the_sender_gave_stays_and_the_span_is_linked_to_it()
    {
        var given = _spans.Message("order");
        var sent = await SendAsync(given);

        Assert.Same(given, sent);
        var span = Assert.Single(_spans.Of("publish"));
        Assert.Equal((ActivityKind.Client, _spans.Parent.SpanId), (span.Kind, Assert.Single(span.Links).Context.SpanId));
    }

    [Fact]
    public async Task Where_nobody_records_the_senders_own_trace_is_still_passed_on()
    {
        _spans.Dispose();
        using var current = new Activity("caller").Start();
        current.TraceStateString = "rojo=1";

        var sent = await SendAsync(new Message { Id = "order" });

        Assert.Equal((current.Id, "rojo=1"), (sent.Properties["traceparent"], sent.Properties["tracestate"]));
    }

    [Fact]
    public async Task Where_there_is_no_trace_nothing_is_added()
    {
        _spans.Dispose();
        var message = new Message { Id = "order" };

        Assert.Same(message, await SendAsync(message));
    }

    [Fact]
    public async Task A_failure_is_told_by_the_span_and_counted_by_its_type()
    {
        await Assert.ThrowsAsync<BrokerException>(() => SendAsync(new Message { Id = "order" }, fails: true));
        await SendAsync(new Message { Id = "order" });

        Assert.Equal(ActivityStatusCode.Error, _spans.Of("publish")[0].Status);
        var counts = _meter.Sends("inmemory", Queue).Sent().ToArray();
        Assert.Equal([1, 1], counts.Select(count => count.Value));
        Assert.Equal("Holdfast.Broker.BrokerException", counts[1].Tags.ToArray().Single(tag => tag.Key == "error.type").Value);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_listener_that_throws_costs_the_span_and_not_the_message(bool atStart)
    {
        using var listener = new BrokenListener(span => span.DisplayName == $"publish {Queue}", atStart);

        var sent = await SendAsync(new Message { Id = "order" });

        Assert.Equal((1, "order", 1), (listener.Throws, sent.Id, _meter.Sends("inmemory", Queue).Sent().First().Value));
    }

    [Fact]
    public void Who_sends_to_a_thousand_queues_makes_no_thousand_series()
    {
        var meters = Enumerable.Range(0, 1_000).Select(n => _meter.Sends("inmemory", $"reply-{n}")).ToArray();

        Assert.Equal(101, meters.Distinct().Count());
        Assert.Same(meters[0], _meter.Sends("inmemory", "reply-0"));
    }

    private async Task<Message> SendAsync(Message message, bool fails = false)
    {
        var sender = new FakeSender { Fails = fails };
        await using var observed = new ObservedSender(sender, new SendTracer("inmemory", Queue, _meter, RootSampling.All), _meter.Sends("inmemory", Queue), TimeProvider.System);
        await observed.SendAsync(message, TimeSpan.Zero, default);
        return sender.Sent!;
    }

    private sealed class FakeSender : ISender
    {
        public bool Fails { get; init; }

        public Message? Sent { get; private set; }

        public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
        {
            Sent = message;
            return Fails ? ValueTask.FromException(new BrokerException("No.", isTransient: true)) : ValueTask.CompletedTask;
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
