using System.Collections.Concurrent;
using System.Diagnostics;
using Holdfast.Broker;

namespace Holdfast.Tests.Kit;

/// <summary>Records the spans that belong to one trace, are linked to it, or are about one queue, while other tests make theirs.</summary>
public sealed class SpanLog : IDisposable
{
    private const string Destination = "messaging.destination.name";

    private readonly ConcurrentQueue<Activity> _ended = new();
    private readonly ActivityListener _listener;
    private readonly string? _queue;

    public SpanLog(string? queue = null)
    {
        _queue = queue;
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Holdfast",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) => IsMine(options) ? ActivitySamplingResult.AllDataAndRecorded : ActivitySamplingResult.None,
            ActivityStopped = span => _ended.Enqueue(span),
        };
        ActivitySource.AddActivityListener(_listener);
    }

    /// <summary>The span that the test itself plays.</summary>
    public ActivityContext Parent { get; } = new(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded, isRemote: true);

    public string TraceParent => $"00-{Parent.TraceId}-{Parent.SpanId}-01";

    public IReadOnlyList<Activity> Ended => [.. _ended];

    /// <summary>A message that was sent in the trace.</summary>
    public Message Message(string id) => new() { Id = id, Properties = new Dictionary<string, object?> { ["traceparent"] = TraceParent } };

    /// <summary>Those of one kind of operation.</summary>
    public Activity[] Of(string operation) => [.. _ended.Where(span => span.DisplayName.Split(' ')[0] == operation)];

    public void Dispose() => _listener.Dispose();

    private bool IsMine(in ActivityCreationOptions<ActivityContext> options) =>
        options.Parent.TraceId == Parent.TraceId
        || options.Links?.Any(link => link.Context.TraceId == Parent.TraceId) == true
        || (_queue is not null && options.Tags?.Any(tag => tag.Key == Destination && tag.Value as string == _queue) == true);
}
