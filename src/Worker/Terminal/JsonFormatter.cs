using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Terminal;

/// <summary>Writes a log entry as one line of JSON: what is named in its text has a field of its own, and it knows the trace that it belongs to.</summary>
internal sealed class JsonFormatter(TimeProvider time) : ConsoleFormatter(FormatterName)
{
    public const string FormatterName = "json-lines";

    private const string TraceId = "trace_id";
    private const string NoTrace = "none";
    private const string Template = "{OriginalFormat}";
    private const int LongestText = 16_000;

    public override void Write<TState>(in LogEntry<TState> logEntry, IExternalScopeProvider? scopeProvider, TextWriter textWriter)
    {
        var bytes = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            json.WriteString("time", time.GetUtcNow().UtcDateTime);
            json.WriteString("level", logEntry.LogLevel.ToString().ToLowerInvariant());
            json.WriteString("category", logEntry.Category);
            json.WriteString("message", Bounded(logEntry.Formatter(logEntry.State, logEntry.Exception)));
            WriteTrace(json, Activity.Current);
            WriteFields(json, logEntry.State as IReadOnlyList<KeyValuePair<string, object?>> ?? []);
            if (logEntry.Exception is { } error)
                WriteError(json, error);
            json.WriteEndObject();
        }

        textWriter.WriteLine(Encoding.UTF8.GetString(bytes.WrittenSpan));
    }

    private static void WriteTrace(Utf8JsonWriter json, Activity? span)
    {
        if (span is not { IdFormat: ActivityIdFormat.W3C })
            return;
        json.WriteString(TraceId, span.TraceId.ToHexString());
        json.WriteString("span_id", span.SpanId.ToHexString());
    }

    private static void WriteFields(Utf8JsonWriter json, IReadOnlyList<KeyValuePair<string, object?>> fields)
    {
        foreach (var (name, value) in fields)
        {
            var key = Key(name);
            if (name == Template || (key == TraceId && (Activity.Current is not null || value is NoTrace)))
                continue;

            switch (value)
            {
                case int or long:
                    json.WriteNumber(key, Convert.ToInt64(value, null));
                    break;
                case double number when double.IsFinite(number):
                    json.WriteNumber(key, number);
                    break;
                default:
                    json.WriteString(key, Bounded($"{value}"));
                    break;
            }
        }
    }

    private static void WriteError(Utf8JsonWriter json, Exception error)
    {
        json.WriteString("error_type", error.GetType().FullName);
        json.WriteString("error", Bounded($"{error}"));
    }

    // An id by itself is that of the message that the line is about.
    private static string Key(string name) => name == "Id" ? "message_id" : JsonNamingPolicy.SnakeCaseLower.ConvertName(name);

    private static string Bounded(string text) => Printable.Cut(text, LongestText);
}
