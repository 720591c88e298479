using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Holdfast.Worker.Terminal;

/// <summary>A property's value as text, for commands and those who write them. Some clients write text as bytes; bytes that are none are told in base64.</summary>
internal static class PropertyText
{
    public static string Of(object? value) => value switch
    {
        null => "",
        string text => text,
        bool yes => yes ? "true" : "false",
        byte[] bytes => Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : Convert.ToBase64String(bytes),
        DateTimeOffset time => time.ToString("O"),
        DateTime time => time.ToString("O"),
        IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
        _ => $"{value}",
    };
}
