using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    /// <summary>Any value that <see cref="AmqpReader.ReadValue"/> may give, and lists and binary values in their other guises.</summary>
    /// <exception cref="ArgumentException">It has no type of AMQP. What was written of it is to be forgotten (<see cref="Reset"/>).</exception>
    internal void WriteValue(object? value)
    {
        switch (value)
        {
            case null:
                WriteNull();
                break;
            case string text:
                WriteString(text);
                break;
            case Symbol symbol:
                WriteSymbol(symbol);
                break;
            case byte[] bytes when value.GetType() == typeof(byte[]):
                WriteBinary(bytes);
                break;
            case ReadOnlyMemory<byte> bytes:
                WriteBinary(bytes.Span);
                break;
            case Guid id:
                WriteUuid(id);
                break;
            case AmqpTimestamp time:
                WriteTimestamp(time);
                break;
            case ValueType:
                WriteNumber(value);
                break;
            default:
                WriteCompound(value);
                break;
        }
    }

    private void WriteNumber(object value)
    {
        switch (value)
        {
            case bool truth:
                WriteBoolean(truth);
                break;
            case byte number:
                WriteUByte(number);
                break;
            case ushort number:
                WriteUShort(number);
                break;
            case uint number:
                WriteUInt(number);
                break;
            case ulong number:
                WriteULong(number);
                break;
            case sbyte number:
                WriteByte(number);
                break;
            case short number:
                WriteShort(number);
                break;
            case int number:
                WriteInt(number);
                break;
            case long number:
                WriteLong(number);
                break;
            case float number:
                WriteFloat(number);
                break;
            case double number:
                WriteDouble(number);
                break;
            case Decimal32 number:
                WriteDecimal32(number);
                break;
            case Decimal64 number:
                WriteDecimal64(number);
                break;
            case Decimal128 number:
                WriteDecimal128(number);
                break;
            case Rune letter:
                WriteChar(letter);
                break;
            default:
                throw NoType(value);
        }
    }

    private void WriteCompound(object value)
    {
        switch (value)
        {
            case List<object?> list:
                WriteList(list);
                break;
            case AmqpMap map:
                WriteMap(map);
                break;
            case AmqpFields map:
                WriteMap(map);
                break;
            case ApplicationProperties map:
                WriteMap(map);
                break;
            case Described described:
                WriteDescribed(described);
                break;
            case UByteArray array:
                WriteArray(array);
                break;
            case NullArray array:
                EndArray(BeginArray(FormatCode.Null), array.Length);
                break;
            case UnreadValue unread:
                WriteRaw(unread.Encoded.Span);
                break;
            case NestedArray array:
                WriteArray(array.Items, array.Items.Count, FormatCode.Array32);
                break;
            case object?[] list when value.GetType() == typeof(object[]):
                WriteList(list);
                break;
            case Array array:
                WriteArray(array);
                break;
            default:
                throw NoType(value);
        }
    }

    private void WriteDescribed(Described described)
    {
        Deepen();
        Put(FormatCode.Described);
        WriteValue(described.Descriptor);
        WriteValue(described.Value);
        _depth--;
    }

    private static ArgumentException NoType(object value) => new($"AMQP has no type for a {value.GetType().Name}.");
}
