using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    internal void WriteNull() => Put(FormatCode.Null);

    internal void WriteBoolean(bool value) => Put(value ? FormatCode.True : FormatCode.False);

    internal void WriteUByte(byte value) => Put(FormatCode.UByte, value);

    internal void WriteUShort(ushort value)
    {
        Put(FormatCode.UShort);
        Put(value);
    }

    internal void WriteUInt(uint value)
    {
        if (value == 0)
            Put(FormatCode.UInt0);
        else if (value <= byte.MaxValue)
            Put(FormatCode.SmallUInt, (byte)value);
        else
            Put(FormatCode.UInt, value);
    }

    internal void WriteULong(ulong value)
    {
        if (value == 0)
            Put(FormatCode.ULong0);
        else if (value <= byte.MaxValue)
            Put(FormatCode.SmallULong, (byte)value);
        else
            Put(FormatCode.ULong, value);
    }

    internal void WriteByte(sbyte value) => Put(FormatCode.Byte, (byte)value);

    internal void WriteShort(short value)
    {
        Put(FormatCode.Short);
        Put((ushort)value);
    }

    internal void WriteInt(int value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallInt, (byte)value);
        else
            Put(FormatCode.Int, (uint)value);
    }

    internal void WriteLong(long value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallLong, (byte)value);
        else
            Put(FormatCode.Long, (ulong)value);
    }

    internal void WriteFloat(float value)
    {
        Put(FormatCode.Float);
        Put(value);
    }

    internal void WriteDouble(double value)
    {
        Put(FormatCode.Double);
        Put(value);
    }

    internal void WriteDecimal32(Decimal32 value) => Put(FormatCode.Decimal32, value.Bits);

    internal void WriteDecimal64(Decimal64 value) => Put(FormatCode.Decimal64, value.Bits);

    internal void WriteDecimal128(Decimal128 value)
    {
        Put(FormatCode.Decimal128);
        Put(value.Bits);
    }

    internal void WriteChar(Rune value) => Put(FormatCode.Char, (uint)value.Value);

    internal void WriteTimestamp(AmqpTimestamp value) => Put(FormatCode.Timestamp, (ulong)value.Milliseconds);

    internal void WriteUuid(Guid value)
    {
        Put(FormatCode.Uuid);
        Put(value);
    }
}
