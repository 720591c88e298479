using System.Diagnostics;

namespace Holdfast.Worker.Messages;

/// <summary>The trace that a handler's work belongs to, as W3C's traceparent; null where there is none.</summary>
internal static class TraceParent
{
    public static string? Of(ActivityContext trace) =>
        trace.TraceId == default ? null : $"00-{trace.TraceId}-{trace.SpanId}-{(byte)trace.TraceFlags:x2}";
}
