using System.Buffers;
using System.Globalization;
using System.Net.Http.Headers;
using Holdfast.Consumer;

namespace Holdfast.Worker.Http;

/// <summary>
/// Writes a message's headers as a CloudEvent in binary mode. Attributes that the sender gave it, by the CloudEvents binding for AMQP, go first;
/// of those that every event must have, the rest is made up.
/// </summary>
internal static class CloudEvent
{
    private const string Type = "holdfast.message";
    private static readonly string[] s_prefixes = ["cloudEvents:", "cloudEvents_"];
    private static readonly SearchValues<char> s_nameChars = SearchValues.Create("0123456789abcdefghijklmnopqrstuvwxyz");

    public static void Write(HeldMessage message, string source, HttpRequestHeaders headers)
    {
        foreach (var (name, value) in message.Message.Properties)
        {
            if (Attribute(name) is { } attribute && Text(value) is { } text)
                Add(headers, $"ce-{attribute}", text);
        }

        Add(headers, "ce-specversion", "1.0");
        Add(headers, "ce-id", message.Id);
        Add(headers, "ce-source", source);
        Add(headers, "ce-type", Type);
        Add(headers, "ce-time", Text(message.EnqueuedAt)!);
    }

    private static void Add(HttpRequestHeaders headers, string name, string value)
    {
        if (!headers.NonValidated.Contains(name))
            headers.TryAddWithoutValidation(name, HeaderText.Encode(value));
    }

    // The type of the content has a header of its own.
    private static string? Attribute(string property) =>
        Array.Find(s_prefixes, prefix => property.StartsWith(prefix, StringComparison.Ordinal)) is { } prefix
        && property[prefix.Length..] is { Length: > 0 } name and not "datacontenttype"
        && !name.AsSpan().ContainsAnyExcept(s_nameChars)
            ? name
            : null;

    private static string? Text(object? value) => value switch
    {
        string text => text,
        bool yes => yes ? "true" : "false",
        byte[] bytes => Convert.ToBase64String(bytes),
        DateTimeOffset time => TimeText.Of(time),
        IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
        _ => null,
    };
}
