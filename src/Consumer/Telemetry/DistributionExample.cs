using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>A trace in which a duration of that many seconds was measured, and when.</summary>
internal sealed record DistributionExample(ActivityTraceId TraceId, ActivitySpanId SpanId, double Seconds, DateTimeOffset At);
