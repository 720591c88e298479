using System.Buffers.Binary;
using System.Text;

namespace Holdfast.Amqp;

internal ref partial struct AmqpReader
{
    public bool ReadBoolean() => Boolean(ReadCode());

    public byte ReadUByte() => UByte(ReadCode());

    public ushort ReadUShort() => UShort(ReadCode());

    public uint ReadUInt() => UInt(ReadCode());

    public ulong ReadULong() => ULong(ReadCode());

    public sbyte ReadByte() => Byte(ReadCode());

    public short ReadShort() => Short(ReadCode());

    public int ReadInt() => Int(ReadCode());

    public long ReadLong() => Long(ReadCode());

    public float ReadFloat() => Float(ReadCode());

    public double ReadDouble() => Double(ReadCode());

    public Decimal32 ReadDecimal32() => Decimal32(ReadCode());

    public Decimal64 ReadDecimal64() => Decimal64(ReadCode());

    public Decimal128 ReadDecimal128() => Decimal128(ReadCode());

    public Rune ReadChar() => Char(ReadCode());

    public AmqpTimestamp ReadTimestamp() => Timestamp(ReadCode());

    public Guid ReadUuid() => Uuid(ReadCode());

    private bool Boolean(byte code) => code switch
    {
        FormatCode.True => true,
        FormatCode.False => false,
        FormatCode.Boolean => OneOrZero(),
        _ => throw Unexpected(code, "a boolean"),
    };

    private bool OneOrZero() => Fixed(1)[0] switch
    {
        0 => false,
        1 => true,
        var other => throw Wrong($"A boolean that is neither 0 nor 1 but {other}", 1),
    };

    private byte UByte(byte code) => code == FormatCode.UByte ? Fixed(1)[0] : throw Unexpected(code, "a ubyte");

    private ushort UShort(byte code) =>
        code == FormatCode.UShort ? BinaryPrimitives.ReadUInt16BigEndian(Fixed(2)) : throw Unexpected(code, "a ushort");

    private uint UInt(byte code) => code switch
    {
        FormatCode.UInt0 => 0,
        FormatCode.SmallUInt => Fixed(1)[0],
        FormatCode.UInt => BinaryPrimitives.ReadUInt32BigEndian(Fixed(4)),
        _ => throw Unexpected(code, "a uint"),
    };

    private ulong ULong(byte code) => code switch
    {
        FormatCode.ULong0 => 0,
        FormatCode.SmallULong => Fixed(1)[0],
        FormatCode.ULong => BinaryPrimitives.ReadUInt64BigEndian(Fixed(8)),
        _ => throw Unexpected(code, "a ulong"),
    };

    private sbyte Byte(byte code) => code == FormatCode.Byte ? (sbyte)Fixed(1)[0] : throw Unexpected(code, "a byte");

    private short Short(byte code) =>
        code == FormatCode.Short ? BinaryPrimitives.ReadInt16BigEndian(Fixed(2)) : throw Unexpected(code, "a short");

    private int Int(byte code) => code switch
    {
        FormatCode.SmallInt => (sbyte)Fixed(1)[0],
        FormatCode.Int => BinaryPrimitives.ReadInt32BigEndian(Fixed(4)),
        _ => throw Unexpected(code, "an int"),
    };

    private long Long(byte code) => code switch
    {
        FormatCode.SmallLong => (sbyte)Fixed(1)[0],
        FormatCode.Long => BinaryPrimitives.ReadInt64BigEndian(Fixed(8)),
        _ => throw Unexpected(code, "a long"),
    };

    private float Float(byte code) =>
        code == FormatCode.Float ? BinaryPrimitives.ReadSingleBigEndian(Fixed(4)) : throw Unexpected(code, "a float");

    private double Double(byte code) =>
        code == FormatCode.Double ? BinaryPrimitives.ReadDoubleBigEndian(Fixed(8)) : throw Unexpected(code, "a double");

    private Decimal32 Decimal32(byte code) =>
        code == FormatCode.Decimal32 ? new(BinaryPrimitives.ReadUInt32BigEndian(Fixed(4))) : throw Unexpected(code, "a decimal32");

    private Decimal64 Decimal64(byte code) =>
        code == FormatCode.Decimal64 ? new(BinaryPrimitives.ReadUInt64BigEndian(Fixed(8))) : throw Unexpected(code, "a decimal64");

    private Decimal128 Decimal128(byte code) =>
        code == FormatCode.Decimal128 ? new(BinaryPrimitives.ReadUInt128BigEndian(Fixed(16))) : throw Unexpected(code, "a decimal128");

    private Rune Char(byte code)
    {
        if (code != FormatCode.Char)
            throw Unexpected(code, "a char");
        var point = BinaryPrimitives.ReadUInt32BigEndian(Fixed(4));
        return Rune.TryCreate(point, out var rune) ? rune : throw Wrong($"0x{point:x} is no character", 4);
    }

    private AmqpTimestamp Timestamp(byte code) =>
        code == FormatCode.Timestamp ? new(BinaryPrimitives.ReadInt64BigEndian(Fixed(8))) : throw Unexpected(code, "a timestamp");

    private Guid Uuid(byte code) =>
        code == FormatCode.Uuid ? new(Fixed(16), bigEndian: true) : throw Unexpected(code, "a uuid");
}
