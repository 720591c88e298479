using System.Buffers.Binary;
using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    // Size and count, of four bytes each.
    private const int ElementHead = 8;

    private void PutElement(object? item, byte code)
    {
        if (ElementCode.Of(item) != code)
            throw new ArgumentException("The elements of an array are of one type.");

        switch (item)
        {
            case null:
                break;
            case bool value:
                Put(value ? (byte)1 : (byte)0);
                break;
            case byte value:
                Put(value);
                break;
            case sbyte value:
                Put((byte)value);
                break;
            case ushort value:
                Put(value);
                break;
            case short value:
                Put((ushort)value);
                break;
            case uint value:
                Put(value);
                break;
            case int value:
                Put((uint)value);
                break;
            case ulong value:
                Put(value);
                break;
            case long value:
                Put((ulong)value);
                break;
            case float value:
                Put(value);
                break;
            case double value:
                Put(value);
                break;
            case Decimal32 value:
                Put(value.Bits);
                break;
            case Decimal64 value:
                Put(value.Bits);
                break;
            case Decimal128 value:
                Put(value.Bits);
                break;
            case Rune value:
                Put((uint)value.Value);
                break;
            case AmqpTimestamp value:
                Put((ulong)value.Milliseconds);
                break;
            case Guid value:
                Put(value);
                break;
            default:
                PutSizedElement(item);
                break;
        }
    }

    // By exact type: to the CLR an sbyte[] is a byte[], too.
    private void PutSizedElement(object item)
    {
        var start = Length;
        switch (item)
        {
            case string text:
                var size = Encoding.UTF8.GetByteCount(text);
                Put((uint)size);
                Encoding.UTF8.GetBytes(text, Take(size));
                break;
            case Symbol symbol:
                Put((uint)symbol.Value.Length);
                PutAscii(symbol.Value);
                break;
            case byte[] bytes when item.GetType() == typeof(byte[]):
                Put((uint)bytes.Length);
                WriteRaw(bytes);
                break;
            case ReadOnlyMemory<byte> bytes:
                Put((uint)bytes.Length);
                WriteRaw(bytes.Span);
                break;
            default:
                WriteValue(item);
                Widen(start);
                break;
        }
    }

    // A list, map or array was written as one that stands alone; as an element it has no constructor, and a wide head.
    private void Widen(int start)
    {
        var value = From(start);
        var (head, count) = (value[0] >> 4) switch
        {
            0x4 => (1, 0u),
            0xc or 0xe => (SmallHead, value[2]),
            _ => (LargeHead, BinaryPrimitives.ReadUInt32BigEndian(value[5..])),
        };

        var body = value.Length - head;
        if (head < ElementHead)
            Take(ElementHead - head);
        value = From(start);
        value.Slice(head, body).CopyTo(value[ElementHead..]);
        BinaryPrimitives.WriteUInt32BigEndian(value, (uint)body + 4);
        BinaryPrimitives.WriteUInt32BigEndian(value[4..], count);
        Length = start + ElementHead + body;
    }
}
