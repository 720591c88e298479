using System.Globalization;
using System.Text;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>A message's property as text, whatever type its sender gave it.</summary>
internal static class PropertyValue
{
    /// <summary>Null where there is none.</summary>
    public static string? Of(Message message, string name) =>
        !message.Properties.TryGetValue(name, out var value) ? null
        : value switch
        {
            string text => text,
            // Some clients write text as bytes; as Latin-1, different bytes are different texts.
            byte[] bytes => Encoding.Latin1.GetString(bytes),
            IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
            _ => value?.ToString(),
        };
}
