using System.Text.Json;

namespace Holdfast.Worker.Commands;

/// <summary>Puts a message's failed deliveries, which it carries as JSON, into lines.</summary>
internal static class FailureHistory
{
    /// <summary>Null where it is no such history.</summary>
    public static string[]? Lines(string json)
    {
        try
        {
            using var history = JsonDocument.Parse(json);
            return [.. history.RootElement.EnumerateArray().Select(Line)];
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    private static string Line(JsonElement failure) =>
        $"{Told(failure, "at")}  delivery {Told(failure, "delivery")}, attempts {Told(failure, "attempts")}, on {Told(failure, "worker")}{TraceOf(failure)}: {Told(failure, "exception")}: {Told(failure, "message")}";

    private static string TraceOf(JsonElement failure) => failure.TryGetProperty("trace", out var trace) ? $", trace {trace}" : "";

    private static string Told(JsonElement failure, string name) => failure.TryGetProperty(name, out var value) ? $"{value}" : "?";
}
