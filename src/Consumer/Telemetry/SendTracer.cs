using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Makes the spans of sending to one queue, and puts their context into the messages. A context that the sender put there himself stays. Any thread.</summary>
internal sealed class SendTracer(string system, string queue, HoldfastMeter meter, RootSampling roots)
{
    private readonly KeyValuePair<string, object?>[] _tags = Spans.Tags(system, queue, Names.Publish, Names.Send);
    private readonly string _name = $"{Names.Publish} {queue}";

    public Activity? Start(Message message)
    {
        if (!Spans.AreListenedTo || (Activity.Current is null && !roots.Take()))
            return null;

        var given = TraceContext.Of(message);
        var kind = given.TraceId == default ? ActivityKind.Producer : ActivityKind.Client;
        var links = given.TraceId == default ? null : new[] { new ActivityLink(given) };
        var span = Spans.Start(meter, _name, kind, default, _tags, links);
        if (span is { IsAllDataRequested: true })
            span.SetTag(Names.MessagingMessageId, Spans.Bounded(message.Id)).SetTag(Names.MessagingBodySize, message.Body.Length);
        return span;
    }

    /// <summary>The same message, which tells in what trace it is sent.</summary>
    public static Message Stamp(Message message, Activity? span)
    {
        if ((span ?? Activity.Current) is not { IdFormat: ActivityIdFormat.W3C } current || TraceContext.IsCarriedBy(message))
            return message;

        Dictionary<string, object?> properties = new(message.Properties) { [TraceContext.Parent] = current.Id };
        if (current.TraceStateString is { Length: > 0 } state)
            properties[TraceContext.State] = state;
        return message.WithProperties(properties);
    }

    public void Sent(Activity? span, Exception? failure = null) => span.End(meter, failure);
}
