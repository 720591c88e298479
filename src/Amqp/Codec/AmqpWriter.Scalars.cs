using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    public void WriteNull() => Put(FormatCode.Null);

    public void WriteBoolean(bool value) => Put(value ? FormatCode.True : FormatCode.False);

    public void WriteUByte(byte value) => Put(FormatCode.UByte, value);

    public void WriteUShort(ushort value)
    {
        Put(FormatCode.UShort);
        Put(value);
    }

    public void WriteUInt(uint value)
    {
        if (value == 0)
            Put(FormatCode.UInt0);
        else if (value <= byte.MaxValue)
            Put(FormatCode.SmallUInt, (byte)value);
        else
            Put(FormatCode.UInt, value);
    }

    public void WriteULong(ulong value)
    {
        if (value == 0)
            Put(FormatCode.ULong0);
        else if (value <= byte.MaxValue)
            Put(FormatCode.SmallULong, (byte)value);
        else
            Put(FormatCode.ULong, value);
    }

    public void WriteByte(sbyte value) => Put(FormatCode.Byte, (byte)value);

    public void WriteShort(short value)
    {
        Put(FormatCode.Short);
        Put((ushort)value);
    }

    public void WriteInt(int value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallInt, (byte)value);
        else
            Put(FormatCode.Int, (uint)value);
    }

    public void WriteLong(long value)
    {
        if (value == (sbyte)value)
            Put(FormatCode.SmallLong, (byte)value);
        else
            Put(FormatCode.Long, (ulong)value);
    }

    public void WriteFloat(float value)
    {
        Put(FormatCode.Float);
        Put(value);
    }

    public void WriteDouble(double value)
    {
        Put(FormatCode.Double);
        Put(value);
    }

    public void WriteDecimal32(Decimal32 value) => Put(FormatCode.Decimal32, value.Bits);

    public void WriteDecimal64(Decimal64 value) => Put(FormatCode.Decimal64, value.Bits);

    public void WriteDecimal128(Decimal128 value)
    {
        Put(FormatCode.Decimal128);
        Put(value.Bits);
    }

    public void WriteChar(Rune value) => Put(FormatCode.Char, (uint)value.Value);

    public void WriteTimestamp(AmqpTimestamp value) => Put(FormatCode.Timestamp, (ulong)value.Milliseconds);

    public void WriteUuid(Guid value)
    {
        Put(FormatCode.Uuid);
        Put(value);
    }
}
