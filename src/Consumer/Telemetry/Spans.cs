using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>What all spans have in common: their source, their tags, and bounds for what strangers write into them.</summary>
internal static class Spans
{
    public const int MostLinks = 64;

    private const int LongestText = 256;

    private static ActivitySource Source { get; } = new(Names.Meter);

    /// <summary>Whether there may be anything to make.</summary>
    public static bool AreListenedTo => Source.HasListeners();

    public static bool IsRecorded(this ActivityContext context) => (context.TraceFlags & ActivityTraceFlags.Recorded) != 0;

    /// <summary>By what an operation on a queue's messages is told from others, in a span as in a metric.</summary>
    public static KeyValuePair<string, object?>[] Tags(string system, string queue, string name, string? type) =>
    [
        new(Names.MessagingSystem, system),
        new(Names.MessagingDestination, queue),
        new(Names.MessagingOperation, name),
        .. type is null ? [] : new KeyValuePair<string, object?>[] { new(Names.MessagingOperationType, type) },
    ];

    /// <summary>The text, or its beginning, without half a character at its end: what a stranger wrote must not be kept at its full length.</summary>
    public static string Bounded(string text) =>
        text.Length <= LongestText ? text : text[..(LongestText - (char.IsHighSurrogate(text[LongestText - 1]) ? 1 : 0))];

    /// <summary>Starts a span, where somebody wants it. Whoever listens runs his code in ours: what he throws costs the span, and nothing else.</summary>
    public static Activity? Start(
        HoldfastMeter meter,
        string name,
        ActivityKind kind,
        ActivityContext parent,
        IEnumerable<KeyValuePair<string, object?>> tags,
        IEnumerable<ActivityLink>? links = null,
        DateTimeOffset start = default)
    {
        var current = Activity.Current;
        try
        {
            return Source.StartActivity(kind, parent, tags, links, start, name);
        }
        catch (Exception problem)
        {
            Activity.Current = current;
            meter.NoteListenerFailed(problem);
            return null;
        }
    }

    /// <summary>What the span is about is over, or has failed.</summary>
    public static void End(this Activity? span, HoldfastMeter meter, Exception? failure = null)
    {
        if (span is null)
            return;

        if (failure is not null)
            span.Fail(meter.Errors.Of(failure), ErrorText.WithCauses(failure));
        try
        {
            span.Stop();
        }
        catch (Exception problem)
        {
            meter.NoteListenerFailed(problem);
        }
    }

    /// <summary>What the span is about has failed, in a way that telemetry has a name for.</summary>
    public static void Fail(this Activity? span, string error, string description) =>
        span?.SetStatus(ActivityStatusCode.Error, Bounded(description)).SetTag(Names.ErrorType, error);

    /// <summary>Makes what is started next the root of a trace, or the child of what it names: not of what happens to be current where the engine was started.</summary>
    public static void LeaveCurrent()
    {
        if (Activity.Current is not null)
            Activity.Current = null;
    }
}
