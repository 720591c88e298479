using System.Collections;
using System.Globalization;
using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Turns a message's properties into AMQP's simple types and back. Some .NET types have descriptors that the broker's own clients use.</summary>
internal static class PropertyValues
{
    private const string TimeSpanType = "com.microsoft:timespan";
    private const string UriType = "com.microsoft:uri";
    private const string DateTimeOffsetType = "com.microsoft:datetime-offset";

    private static readonly Dictionary<string, object?> s_none = [];

    public static IReadOnlyDictionary<string, object?> Read(ApplicationProperties? properties)
    {
        if (properties is null)
            return s_none;

        Dictionary<string, object?>? read = null;
        foreach (var (name, value) in properties)
        {
            if (!PropertyNames.IsInternal(name))
                (read ??= new(properties.Count, StringComparer.Ordinal))[name] = Value(value);
        }

        return read ?? s_none;
    }

    /// <summary>A priority; 0 where it is none.</summary>
    public static byte ToPriority(object? value) => Whole(value) is >= 0 and <= byte.MaxValue and var priority ? (byte)priority : (byte)0;

    /// <summary>How often something happened, by a property that anybody may have written: never where it tells nothing, and no oftener than can be counted.</summary>
    public static int ToCount(object? value) => (int)Math.Clamp(Whole(value) ?? 0, 0, int.MaxValue);

    /// <exception cref="BrokerException">A property is of a kind that AMQP's application properties can't hold.</exception>
    public static object? Write(string name, object? value) => TryWrite(value, out var written)
        ? written
        : throw new BrokerException(
            $"The property {name} is a {value!.GetType().Name}, which Service Bus can't hold; make it text, a number, bytes, a time or an identifier.",
            isTransient: false);

    /// <summary>What a settlement tells, but for what the broker has no place for: to fail for that would be to fail each time that it is tried.</summary>
    public static IEnumerable<KeyValuePair<string, object?>> Fitting(IReadOnlyDictionary<string, object?> properties)
    {
        foreach (var (name, value) in properties)
        {
            if (TryWrite(value, out var written))
                yield return new(name, written);
        }
    }

    /// <summary>False where it is one that <see cref="Write"/> refuses.</summary>
    public static bool TryWrite(object? value, out object? written)
    {
        written = Written(value);
        return written is not null || value is null;
    }

    /// <summary>A table's key as text.</summary>
    public static string Key(object key) => Value(key) switch
    {
        byte[] bytes => Convert.ToHexStringLower(bytes),
        DateTimeOffset time => time.ToString("O", CultureInfo.InvariantCulture),
        var value => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
    };

    /// <summary>A value as handlers see it. The standard knows no tables and lists here, and strangers write them all the same.</summary>
    public static object? Value(object? value) => value switch
    {
        AmqpTimestamp time => time.ToDateTimeOffset(),
        Symbol symbol => symbol.Value,
        Rune letter => letter.ToString(),
        Decimal32 number => DecimalValues.Read(number),
        Decimal64 number => DecimalValues.Read(number),
        Decimal128 number => DecimalValues.Read(number),
        Described { Descriptor: Symbol type, Value: var inner } => Described(type.Value, inner) ?? Value(inner),
        Described { Value: var inner } => Value(inner),
        AmqpMap table => Table(table),
        UByteArray bytes => bytes.Items.ToArray(),
        NullArray nulls => new List<object?>(new object?[nulls.Length]),
        NestedArray arrays => List(arrays.Items),
        Array items when value.GetType() != typeof(byte[]) => List(items),
        _ => value,
    };

    private static List<object?> List(IEnumerable items) => [.. items.Cast<object?>().Select(Value)];

    private static Dictionary<string, object?> Table(AmqpMap map)
    {
        Dictionary<string, object?> table = new(map.Count, StringComparer.Ordinal);
        foreach (var (key, value) in map)
            table[Key(key)] = Value(value);
        return table;
    }

    // By whatever kind of whole number another client has written it.
    private static decimal? Whole(object? value) =>
        value is byte or sbyte or short or ushort or int or uint or long or ulong ? Convert.ToDecimal(value, CultureInfo.InvariantCulture) : null;

    // Null where there is no place for it.
    private static object? Written(object? value) => value switch
    {
        null or string or bool or byte or sbyte or short or ushort or int or uint or long or ulong or float or double or Guid or Rune or byte[] => value,
        ReadOnlyMemory<byte> bytes => bytes.ToArray(),
        char letter => Letter(letter),
        DateTimeOffset time => AmqpTimestamp.From(time),
        TimeSpan time => new Described((Symbol)TimeSpanType, time.Ticks),
        Uri uri => new Described((Symbol)UriType, uri.OriginalString),
        decimal number => number.ToString(CultureInfo.InvariantCulture),
        _ => null,
    };

    private static object? Described(string type, object? value) => (type, value) switch
    {
        (TimeSpanType, long ticks) => new TimeSpan(ticks),
        (UriType, string text) => text,
        (DateTimeOffsetType, long ticks) when ticks >= 0 && ticks <= DateTime.MaxValue.Ticks => new DateTimeOffset(ticks, TimeSpan.Zero),
        _ => null,
    };

    private static object Letter(char letter) => Rune.TryCreate(letter, out var rune) ? rune : letter.ToString();
}
