using System.Diagnostics;

namespace Holdfast.Consumer;

/// <summary>What all spans have in common: their source, and bounds for what strangers write into them.</summary>
internal static class Spans
{
    public const int MostLinks = 64;

    private const int LongestText = 256;

    public static ActivitySource Source { get; } = new(Names.Meter);

    public static bool IsRecorded(this ActivityContext context) => (context.TraceFlags & ActivityTraceFlags.Recorded) != 0;

    public static string Bounded(string text) => text.Length <= LongestText ? text : text[..LongestText];

    public static void Fail(this Activity? span, Exception error, ErrorTypes errors) =>
        span?.SetStatus(ActivityStatusCode.Error, Bounded(ErrorText.Of(error))).SetTag(Names.ErrorType, errors.Of(error));

    /// <summary>Makes what is started next the root of a trace, or the child of what it names: not of what happens to be current where the engine was started.</summary>
    public static void LeaveCurrent()
    {
        if (Activity.Current is not null)
            Activity.Current = null;
    }
}
