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

    /// <param name="queue">The queue whose spans are recorded too.</param>
    /// <param name="isParentBased">Whether what has a parent is recorded only where that is, as OpenTelemetry's samplers have it.</param>
    public SpanLog(string? queue = null, bool isParentBased = false)
    {
        _queue = queue;
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == "Holdfast",
            Sample = (ref ActivityCreationOptions<ActivityContext> options) => IsMine(options) && !(isParentBased && IsBelowUnrecorded(options)) ? ActivitySamplingResult.AllDataAndRecorded : ActivitySamplingResult.None,

            // What anybody who listens wants recorded, all of them are told of.
            ActivityStopped = span =>
            {
                if (IsMine(span))
                    _ended.Enqueue(span);
            },
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

    private static bool IsBelowUnrecorded(in ActivityCreationOptions<ActivityContext> options) =>
        options.Parent.TraceId != default && (options.Parent.TraceFlags & ActivityTraceFlags.Recorded) == 0;

    private bool IsMine(Activity span) =>
        span.TraceId == Parent.TraceId
        || span.Links.Any(link => link.Context.TraceId == Parent.TraceId)
        || (_queue is not null && span.GetTagItem(Destination) as string == _queue);

    private bool IsMine(in ActivityCreationOptions<ActivityContext> options) =>
        options.Parent.TraceId == Parent.TraceId
        || options.Links?.Any(link => link.Context.TraceId == Parent.TraceId) == true
        || (_queue is not null && options.Tags?.Any(tag => tag.Key == Destination && tag.Value as string == _queue) == true);
}
