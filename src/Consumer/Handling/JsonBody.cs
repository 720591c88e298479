using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Holdfast.Consumer;

/// <summary>Reads a message's body as JSON.</summary>
internal static class JsonBody
{
    /// <exception cref="UnreadableMessageException">It is no such thing. Not a <see cref="JsonException"/>: a handler may meet that elsewhere, where a new try helps.</exception>
    public static T Read<T>(ReadOnlySpan<byte> body, JsonTypeInfo<T> type)
    {
        if (body.StartsWith("\uFEFF"u8))
            body = body["\uFEFF"u8.Length..];
        if (body.IsEmpty)
            throw new UnreadableMessageException("It is empty.");

        try
        {
            return JsonSerializer.Deserialize(body, type) ?? throw new UnreadableMessageException($"It is null, not a {type.Type.Name}.");
        }
        catch (JsonException wrong)
        {
            throw new UnreadableMessageException(wrong.Message, wrong);
        }
        catch (Exception wrong) when (wrong is ArgumentException or FormatException or OverflowException || (wrong is NotSupportedException refusal && Discriminators.AreMissing(refusal, type)))
        {
            // The type's own constructor refuses it, or nothing says which of its derived types something is: no new try changes that either.
            // All else is the type's fault, and as such the host's: it must not put aside a whole queue.
            throw new UnreadableMessageException(ErrorText.WithType(wrong), wrong);
        }
    }
}
