using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Holdfast.Consumer;

/// <summary>Reads a message's body as JSON. What can't be read is a <see cref="JsonException"/>, which no new try heals.</summary>
internal static class JsonBody
{
    public static T Read<T>(ReadOnlySpan<byte> body, JsonTypeInfo<T> type)
    {
        if (body.StartsWith("\uFEFF"u8))
            body = body["\uFEFF"u8.Length..];
        if (body.IsEmpty)
            throw new JsonException("It is empty.");

        return JsonSerializer.Deserialize(body, type) ?? throw new JsonException($"It is null, not a {type.Type.Name}.");
    }
}
