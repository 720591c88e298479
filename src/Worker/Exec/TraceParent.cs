using System.Diagnostics;

namespace Holdfast.Worker.Exec;

/// <summary>The trace that a command's work belongs to, as W3C's traceparent.</summary>
internal static class TraceParent
{
    public static string? Of(ActivityContext trace) =>
        trace.TraceId == default ? null : $"00-{trace.TraceId}-{trace.SpanId}-{(byte)trace.TraceFlags:x2}";
}
