using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Scheduling;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// Makes the spans of one queue's messages, by OpenTelemetry's conventions for messaging. Nothing is made where nobody listens,
/// and of what belongs to a message only where its trace is recorded. Any thread but the lease thread.
/// </summary>
internal sealed class MessageTracer(string queue, string system, HoldfastMeter meter, ILogger log, RootSampling? roots = null)
{
    private readonly RootSampling _roots = roots ?? RootSampling.All;
    private readonly RootBudget _budget = new(() => log.TracesLeftOut(queue, RootBudget.PerSecond));
    private readonly KeyValuePair<string, object?>[] _receive = Spans.Tags(system, queue, Names.Receive, Names.Receive);
    private readonly KeyValuePair<string, object?>[] _process = Spans.Tags(system, queue, Names.Process, Names.Process);
    private readonly KeyValuePair<string, object?>[] _settle = Spans.Tags(system, queue, Names.Settle, Names.Settle);
    private readonly KeyValuePair<string, object?>[] _renew = Spans.Tags(system, queue, Names.Renew, null);
    private readonly string _receiveName = $"{Names.Receive} {queue}";
    private readonly string _processName = $"{Names.Process} {queue}";
    private readonly string _settleName = $"{Names.Settle} {queue}";
    private readonly string _renewName = $"{Names.Renew} {queue}";

    /// <summary>Messages came, on a request that took this long: a trace of its own, with a link to each message's.</summary>
    public void Received(ReadOnlySpan<Delivery> deliveries, TimeSpan asked, TimeSpan answered, Clock clock)
    {
        if (!Spans.AreListenedTo || deliveries.IsEmpty || !MayBegin())
            return;

        // A span leaves its mark in the execution context even when it is over, and every journey that is begun from here would carry that along:
        // at half a million messages a second that costs more than all spans.
        var context = ExecutionContext.Capture();
        TraceReceive(deliveries, answered - asked, clock.Time.GetUtcNow() - (clock.Now - answered));
        if (context is not null)
            ExecutionContext.Restore(context);
    }

    /// <summary>
    /// A handler is called: what it does runs inside this span. It handles one message, so the span that the message was sent in is its parent,
    /// and its link too, as the conventions want it.
    /// </summary>
    public Activity? Process(Lease lease)
    {
        if (!Spans.AreListenedTo)
            return null;

        var sent = lease.Delivery.Message.Properties.Count > 0 ? lease.Trace : default;
        if (sent.TraceId == default && !MayBegin())
            return null;

        Spans.LeaveCurrent();
        var span = Spans.Start(meter, _processName, ActivityKind.Consumer, sent, _process);
        if (span is null)
            return null;

        if (sent.TraceId == default)
            Begun(span);
        lease.Trace = span.Context;
        if (!span.IsAllDataRequested)
            return span;

        var (delivery, message) = (lease.Delivery, lease.Delivery.Message);
        if (sent.TraceId != default)
            span.AddLink(new ActivityLink(sent));
        span.SetTag(Names.MessagingMessageId, Spans.Bounded(message.Id));
        span.SetTag(Names.MessagingBodySize, message.Body.Length);
        span.SetTag(Names.DeliveryCount, delivery.DeliveryCount);
        if (message.CorrelationId is { } conversation)
            span.SetTag(Names.MessagingConversation, Spans.Bounded(conversation));
        return span;
    }

    /// <summary>The handler has come to its end.</summary>
    /// <param name="span">The span that was made of it.</param>
    /// <param name="attempts">How often it was called.</param>
    /// <param name="error">What telemetry calls the way in which it failed; null where it did not.</param>
    /// <param name="failure">What it threw.</param>
    /// <param name="said">What it said, where it threw nothing.</param>
    public void Processed(Activity? span, int attempts, string? error = null, Exception? failure = null, Settlement said = default)
    {
        if (attempts > 1)
            span?.SetTag(Names.Attempts, attempts);
        if (span is not null && error is not null)
            span.Fail(error, failure is null ? said.Description ?? "" : ErrorText.WithCauses(failure));
        span.End(meter);
    }

    /// <summary>A settlement is sent, on the trace of its message: inside the span of its handler, where that was called.</summary>
    public Activity? Settle(Lease lease, Activity? process, Settlement settlement)
    {
        if (!Spans.AreListenedTo || (process is null && lease.Delivery.Message.Properties.Count == 0) || !lease.Trace.IsRecorded())
            return null;

        Spans.LeaveCurrent();
        return Spans.Start(meter, _settleName, ActivityKind.Client, lease.Trace, _settle)
            ?.SetTag(Names.MessagingMessageId, Spans.Bounded(lease.Delivery.Message.Id))
            .SetTag(Names.SettledAs, Names.Of(settlement.Kind));
    }

    /// <summary>Leases were asked for together, and the answer is here. One lease's renewal is on the trace of its message; that of several is linked to theirs.</summary>
    public void Renewed(ActivityContext[] traces, int count, DateTimeOffset start, DateTimeOffset end, Exception? failure)
    {
        Spans.LeaveCurrent();
        var parent = count == 1 ? traces[0] : default;
        var span = Spans.Start(meter, _renewName, ActivityKind.Client, parent, _renew, count == 1 ? null : traces.Select(trace => new ActivityLink(trace)), start);
        span?.SetTag(Names.MessagingBatch, count).SetEndTime(end.UtcDateTime);
        span.End(meter, failure);
    }

    /// <summary>Told ten times a second.</summary>
    public void Adapt() => _budget.Refill();

    private bool MayBegin() => _budget.IsLeft && _roots.Take();

    private void Begun(Activity? root)
    {
        if (root is { Recorded: true })
            _budget.Spend();
    }

    private void TraceReceive(ReadOnlySpan<Delivery> deliveries, TimeSpan took, DateTimeOffset end)
    {
        List<ActivityLink> links = [];
        foreach (var delivery in deliveries)
        {
            if (links.Count < Spans.MostLinks && TraceContext.Of(delivery.Message) is var sent && sent.TraceId != default)
                links.Add(new(sent));
        }

        Spans.LeaveCurrent();
        var span = Spans.Start(meter, _receiveName, ActivityKind.Client, default, _receive, links, end - took);
        Begun(span);
        span?.SetTag(Names.MessagingBatch, deliveries.Length).SetEndTime(end.UtcDateTime);
        span.End(meter);
    }
}
