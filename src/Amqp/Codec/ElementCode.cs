using System.Text;

namespace Holdfast.Amqp;

/// <summary>The constructor that the elements of an array share: the widest of their type, which fits each of them.</summary>
internal static class ElementCode
{
    private static readonly Dictionary<Type, byte> s_codes = new()
    {
        [typeof(bool)] = FormatCode.Boolean,
        [typeof(byte)] = FormatCode.UByte,
        [typeof(ushort)] = FormatCode.UShort,
        [typeof(uint)] = FormatCode.UInt,
        [typeof(ulong)] = FormatCode.ULong,
        [typeof(sbyte)] = FormatCode.Byte,
        [typeof(short)] = FormatCode.Short,
        [typeof(int)] = FormatCode.Int,
        [typeof(long)] = FormatCode.Long,
        [typeof(float)] = FormatCode.Float,
        [typeof(double)] = FormatCode.Double,
        [typeof(Decimal32)] = FormatCode.Decimal32,
        [typeof(Decimal64)] = FormatCode.Decimal64,
        [typeof(Decimal128)] = FormatCode.Decimal128,
        [typeof(Rune)] = FormatCode.Char,
        [typeof(AmqpTimestamp)] = FormatCode.Timestamp,
        [typeof(Guid)] = FormatCode.Uuid,
        [typeof(byte[])] = FormatCode.Binary32,
        [typeof(ReadOnlyMemory<byte>)] = FormatCode.Binary32,
        [typeof(string)] = FormatCode.String32,
        [typeof(Symbol)] = FormatCode.Symbol32,
        [typeof(object[])] = FormatCode.List32,
        [typeof(List<object>)] = FormatCode.List32,
        [typeof(AmqpMap)] = FormatCode.Map32,
        [typeof(AmqpFields)] = FormatCode.Map32,
        [typeof(ApplicationProperties)] = FormatCode.Map32,
        [typeof(UByteArray)] = FormatCode.Array32,
        [typeof(NullArray)] = FormatCode.Array32,
        [typeof(NestedArray)] = FormatCode.Array32,
    };

    public static byte Of(object? value) => value is null ? FormatCode.Null : Of(value.GetType());

    public static byte Of(Type type)
    {
        if (s_codes.TryGetValue(type, out var code))
            return code;
        return type.IsArray ? FormatCode.Array32 : throw new ArgumentException($"An AMQP array can't have elements of type {type.Name}.");
    }
}
