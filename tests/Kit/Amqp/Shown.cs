using System.Collections;
using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Shows a value with its type and all that is in it: values are alike if they show alike.</summary>
internal static class Shown
{
    public static string Of(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        byte[] bytes when bytes.GetType() == typeof(byte[]) => $"0x{Convert.ToHexString(bytes)}",
        ReadOnlyMemory<byte> bytes => $"0x{Convert.ToHexString(bytes.Span)}",
        float number => $"float 0x{BitConverter.SingleToUInt32Bits(number):x8}",
        double number => $"double 0x{BitConverter.DoubleToUInt64Bits(number):x16}",
        Symbol or Rune or Enum or ValueType and (IFormattable or bool) => $"{value.GetType().Name} {value}",
        AmqpMap map => Entries(map),
        AmqpFields map => Entries(map),
        ApplicationProperties map => Entries(map),
        Array items => $"{value.GetType().Name}[{string.Join(", ", items.Cast<object?>().Select(Of))}]",
        IEnumerable items => $"[{string.Join(", ", items.Cast<object?>().Select(Of))}]",
        _ => Members(value),
    };

    private static string Entries<TKey>(OrderedDictionary<TKey, object?> map)
        where TKey : notnull => $"{map.GetType().Name}{{{string.Join(", ", map.Select(entry => $"{Of(entry.Key)}: {Of(entry.Value)}"))}}}";

    private static string Members(object value) =>
        $"{value.GetType().Name}({string.Join(", ", value.GetType().GetProperties()
            .Where(property => property.GetIndexParameters().Length == 0 && !property.GetMethod!.IsStatic)
            .Select(property => $"{property.Name} = {Of(property.GetValue(value))}"))})";
}
