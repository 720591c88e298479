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

    public AmqpTimestamp ReadTimestamp() => Timestamp(ReadCode());

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

    private sbyte Byte() => (sbyte)Fixed(1)[0];

    private short Short() => BinaryPrimitives.ReadInt16BigEndian(Fixed(2));

    private int Int(byte code) => code == FormatCode.SmallInt ? Byte() : BinaryPrimitives.ReadInt32BigEndian(Fixed(4));

    private long Long(byte code) => code == FormatCode.SmallLong ? Byte() : BinaryPrimitives.ReadInt64BigEndian(Fixed(8));

    private float Float() => BinaryPrimitives.ReadSingleBigEndian(Fixed(4));

    private double Double() => BinaryPrimitives.ReadDoubleBigEndian(Fixed(8));

    private Decimal32 Decimal32() => new(BinaryPrimitives.ReadUInt32BigEndian(Fixed(4)));

    private Decimal64 Decimal64() => new(BinaryPrimitives.ReadUInt64BigEndian(Fixed(8)));

    private Decimal128 Decimal128() => new(BinaryPrimitives.ReadUInt128BigEndian(Fixed(16)));

    private Rune Char()
    {
        var point = BinaryPrimitives.ReadUInt32BigEndian(Fixed(4));
        return Rune.TryCreate(point, out var rune) ? rune : throw Wrong($"0x{point:x} is no character", 4);
    }

    private AmqpTimestamp Timestamp(byte code) =>
        code == FormatCode.Timestamp ? new(BinaryPrimitives.ReadInt64BigEndian(Fixed(8))) : throw Unexpected(code, "a timestamp");

    private Guid Uuid() => new(Fixed(16), bigEndian: true);
}
