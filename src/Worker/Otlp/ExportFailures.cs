using System.Diagnostics.Tracing;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Otlp;

/// <summary>Hears from the SDK why something could not be sent: its results do not say, but its own events do, on the thread that sends.</summary>
internal sealed class ExportFailures : EventListener
{
    private const int Longest = 300;
    private const string Cause = " ---> ";

    // Where the events put it: how a call over gRPC ended, or an exception as text.
    private static readonly string[] s_telling = ["statusString", "exceptionMessage", "ex"];

    [ThreadStatic]
    private static string? t_latest;

    /// <summary>Why what this thread sent last was not taken; null where nothing was said about it. It is told once.</summary>
    public static string? Take()
    {
        var latest = t_latest;
        t_latest = null;
        return latest is null ? null : Printable.OneLine(Printable.Cut(Causes(latest), Longest));
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "OpenTelemetry-Exporter-OpenTelemetryProtocol")
            EnableEvents(eventSource, EventLevel.Warning);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (s_telling.Select(name => eventData.PayloadNames?.IndexOf(name) ?? -1).FirstOrDefault(place => place >= 0, -1) is >= 0 and var at)
            t_latest = eventData.Payload![at]?.ToString();
    }

    // Of an exception's text what it says, and what its cause says beside that: not where in the code it was.
    private static string Causes(string text)
    {
        var lines = text.ReplaceLineEndings("\n").Split('\n');
        var said = Saying(lines[0]);
        var cause = lines.FirstOrDefault(line => line.StartsWith(Cause, StringComparison.Ordinal)) is { } line ? Saying(line[Cause.Length..]) : "";
        return said.Contains(cause, StringComparison.Ordinal) ? said : $"{said} {cause}";
    }

    private static string Saying(string line) => line.IndexOf(": ", StringComparison.Ordinal) is >= 0 and var colon ? line[(colon + 2)..] : line;
}
