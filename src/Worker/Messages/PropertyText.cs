using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Holdfast.Worker.Messages;

/// <summary>A property's value as text, for commands and those who write them. Some clients write text as bytes; bytes that are none are told in base64, and what holds other values in JSON.</summary>
internal static class PropertyText
{
    /// <summary>Whether it is told in JSON: a table or a list.</summary>
    public static bool IsJson(object? value) => value is IReadOnlyDictionary<string, object?> or IEnumerable<object?>;

    public static string Of(object? value) => value switch
    {
        null => "",
        string text => text,
        bool yes => yes ? "true" : "false",
        byte[] bytes => Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : Convert.ToBase64String(bytes),
        DateTimeOffset time => time.ToString("O"),
        DateTime time => time.ToString("O"),
        _ when IsJson(value) => PropertyJson.Of(value),
        IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
        _ => $"{value}",
    };
}
