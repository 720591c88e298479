using System.Diagnostics;
using Holdfast.Consumer;
using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration.Telemetry;

/// <summary>A trace on its way through a real broker.</summary>
public sealed class TraceTests(VirtualHost vhost) : IClassFixture<VirtualHost>
{
    [Fact]
    public async Task RabbitMQ_carries_a_trace_in_its_headers()
    {
        vhost.Server.IsNeeded();
        await CarriesAsync(vhost.NewBroker(), vhost.NewQueue(), "rabbitmq");
    }

    [Fact]
    public async Task Service_Bus_carries_a_trace_in_its_properties()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await CarriesAsync(server.NewBroker(), PrivateNamespace.Queue, "servicebus");
    }

    [Fact]
    public async Task A_message_of_Azures_older_clients_goes_on_with_its_trace()
    {
        using var spans = new SpanLog();
        await using var server = await PrivateNamespace.StartAsync();
        await using var sending = server.NewBroker();
        await sending.SendAsync(PrivateNamespace.Queue, new Message { Id = "old", Properties = new Dictionary<string, object?> { ["Diagnostic-Id"] = spans.TraceParent } });

        await using var consuming = await Consuming.StartAsync(server.NewBroker(), PrivateNamespace.Queue, (_, _) => new(Settlement.Complete));
        await consuming.DoneAsync(1);

        Assert.Equal((spans.Parent.TraceId, spans.Parent.SpanId), (Assert.Single(spans.Of("process")).TraceId, spans.Of("process")[0].ParentSpanId));
    }

    [Fact]
    public async Task A_trace_that_cannot_be_read_keeps_no_message_from_being_handled()
    {
        vhost.Server.IsNeeded();
        var queue = vhost.NewQueue();
        await using var sending = vhost.NewBroker();
        object[] strange = ["\u001b[31m\n", new string('0', 10_000), 17L, true, new byte[] { 0xff, 0xfe }, new List<object?> { "00" }];
        foreach (var (value, n) in strange.Select((value, n) => (value, n)))
            await sending.SendAsync(queue, new Message { Id = $"{n}", Properties = new Dictionary<string, object?> { ["traceparent"] = value, ["tracestate"] = value, ["baggage"] = value } });

        await using var consuming = await Consuming.StartAsync(vhost.NewBroker(), queue, (_, _) => new(Settlement.Complete));
        await consuming.DoneAsync(strange.Length);

        Assert.Equal(strange.Length, consuming.Queue.Completed);
    }

    // Sent, given back for later, and handled again: all of it one trace.
    private static async Task CarriesAsync(IBroker broker, string queue, string system)
    {
        using var spans = new SpanLog();
        using var caller = new Activity("caller").SetParentId(spans.Parent.TraceId, spans.Parent.SpanId, ActivityTraceFlags.Recorded).Start();
        using var meter = new HoldfastMeter();
        await using var observed = new ObservedBroker(broker, meter, RootSampling.All, TimeProvider.System);
        await using (var sender = await observed.OpenSenderAsync(queue, default))
            await sender.SendAsync(new Message { Id = "order" }, TimeSpan.Zero, default);
        caller.Stop();

        await using var consuming = await Consuming.StartAsync(broker, queue, (message, _) =>
            new(message.DeliveryCount == 1 ? Settlement.Delay(TimeSpan.FromMilliseconds(50)) : Settlement.Complete));
        await Eventually.HoldsAsync("the message to be completed", () => consuming.Queue is { Delayed: 1, Completed: 1 });
        await Eventually.HoldsAsync("its spans to end", () => spans.Of("settle").Length == 2);

        var publish = Assert.Single(spans.Of("publish"));
        Assert.Equal((caller.SpanId, ActivityKind.Producer, $"publish {queue}"), (publish.ParentSpanId, publish.Kind, publish.DisplayName));
        Assert.Equal(2, spans.Of("process").Length);
        Assert.All(spans.Of("process"), process => Assert.Equal((publish.TraceId, publish.SpanId), (process.TraceId, process.ParentSpanId)));
        Assert.Equal(spans.Of("process").Select(process => process.SpanId), spans.Of("settle").Select(settle => settle.ParentSpanId));
        Assert.All(spans.Ended, span => Assert.Equal((system, queue), (span.GetTagItem("messaging.system"), span.GetTagItem("messaging.destination.name"))));
        Assert.Contains(spans.Of("receive"), receive => receive.Links.Any(link => link.Context.SpanId == publish.SpanId));
    }
}
