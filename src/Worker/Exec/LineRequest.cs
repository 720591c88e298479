using System.Buffers;
using System.Text.Json;
using System.Text.Unicode;
using Holdfast.Consumer;
using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Exec;

/// <summary>A message as a line of JSON. It is plain ASCII, so that no reader takes a part of it for the line's end.</summary>
internal static class LineRequest
{
    public static ReadOnlyMemory<byte> Write(HeldMessage held)
    {
        var (line, message) = (new ArrayBufferWriter<byte>(held.Body.Length + 512), held.Message);
        using (var json = new Utf8JsonWriter(line))
        {
            json.WriteStartObject();
            json.WriteString("id", held.Id);
            json.WriteString("queue", held.Queue);
            json.WriteNumber("attempt", held.Attempt);
            json.WriteNumber("deliveryCount", held.DeliveryCount);
            json.WriteNumber("fencingToken", held.FencingToken);
            json.WriteString("enqueuedAt", held.EnqueuedAt);
            json.WriteNumber("leaseRemaining", Math.Round(held.LeaseRemaining.TotalSeconds, 3));
            json.WriteNumber("priority", message.Priority);
            WriteIfThere(json, "contentType", message.ContentType);
            WriteIfThere(json, "contentEncoding", message.ContentEncoding);
            WriteIfThere(json, "correlationId", message.CorrelationId);
            WriteIfThere(json, "sessionId", message.SessionId);
            WriteIfThere(json, "subject", message.Subject);
            WriteIfThere(json, "replyTo", message.ReplyTo);
            WriteIfThere(json, "traceparent", TraceParent.Of(held.Trace));
            WriteIfThere(json, "tracestate", held.Trace.TraceState);
            WriteProperties(json, message.Properties);
            if (Utf8.IsValid(held.Body.Span))
                json.WriteString("body", held.Body.Span);
            else
                json.WriteBase64String("bodyBase64", held.Body.Span);
            json.WriteEndObject();
        }

        line.Write("\n"u8);
        return line.WrittenMemory;
    }

    private static void WriteProperties(Utf8JsonWriter json, IReadOnlyDictionary<string, object?> properties)
    {
        json.WriteStartObject("properties");
        foreach (var (name, value) in properties)
        {
            json.WritePropertyName(name);
            if (PropertyText.IsJson(value))
                json.WriteRawValue(PropertyText.Of(value));
            else
                json.WriteStringValue(PropertyText.Of(value));
        }

        json.WriteEndObject();
    }

    private static void WriteIfThere(Utf8JsonWriter json, string name, string? value)
    {
        if (value is not null)
            json.WriteString(name, value);
    }
}
