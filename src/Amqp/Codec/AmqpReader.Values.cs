namespace Holdfast.Amqp;

internal ref partial struct AmqpReader
{
    private static readonly object s_true = true;
    private static readonly object s_false = false;

    /// <summary>
    /// Any value, as the CLR type that stands for its own: a list is an object?[], a map an <see cref="AmqpMap"/>, a binary value
    /// a byte[] of its own, an array a CLR array or, where there is none for it, one of <see cref="UByteArray"/>,
    /// <see cref="NullArray"/> and <see cref="NestedArray"/>.
    /// </summary>
    public object? ReadValue() => Value(ReadCode());

    public Described ReadDescribed() => ReadCode() is FormatCode.Described ? Described() : throw Wrong("A described value is expected", 1);

    /// <summary>A described value's descriptor; the value itself is next. Known names count as the numbers they stand for; other names give 0.</summary>
    internal ulong ReadDescriptor()
    {
        if (ReadCode() is not FormatCode.Described)
            throw Wrong("A described value is expected", 1);
        return ReadCode() switch
        {
            (FormatCode.Symbol8 or FormatCode.Symbol32) and var code => Descriptor.Of(Symbol(code)),
            var code => ULong(code),
        };
    }

    /// <summary>The descriptor of what must be there.</summary>
    internal void ReadDescriptor(ulong expected, string what)
    {
        var start = _position;
        if (ReadDescriptor() != expected)
            throw new AmqpDecodeException($"Something else where {what} is expected", start);
    }

    /// <summary>Goes past a value without a look into it, however deep it goes.</summary>
    internal void Skip()
    {
        for (var left = 1; left > 0; left--)
        {
            var code = ReadCode();
            if (code == FormatCode.Described)
                left += 2;
            else
                SkipPlain(code);
        }
    }

    private object? Value(byte code) => code switch
    {
        FormatCode.Described => Described(),
        FormatCode.Null => null,
        FormatCode.True or FormatCode.False or FormatCode.Boolean => Boolean(code) ? s_true : s_false,
        FormatCode.UByte => UByte(code),
        FormatCode.UShort => UShort(code),
        FormatCode.UInt0 or FormatCode.SmallUInt or FormatCode.UInt => UInt(code),
        FormatCode.ULong0 or FormatCode.SmallULong or FormatCode.ULong => ULong(code),
        FormatCode.Byte => Byte(),
        FormatCode.Short => Short(),
        FormatCode.SmallInt or FormatCode.Int => Int(code),
        FormatCode.SmallLong or FormatCode.Long => Long(code),
        FormatCode.Float => Float(),
        FormatCode.Double => Double(),
        FormatCode.Decimal32 => Decimal32(),
        FormatCode.Decimal64 => Decimal64(),
        FormatCode.Decimal128 => Decimal128(),
        FormatCode.Char => Char(),
        FormatCode.Timestamp => Timestamp(code),
        FormatCode.Uuid => Uuid(),
        FormatCode.Binary8 or FormatCode.Binary32 => Binary(code).ToArray(),
        FormatCode.String8 or FormatCode.String32 => String(code),
        FormatCode.Symbol8 or FormatCode.Symbol32 => Symbol(code),
        FormatCode.List0 or FormatCode.List8 or FormatCode.List32 => List(code),
        FormatCode.Map8 or FormatCode.Map32 => Map(code),
        FormatCode.Array8 or FormatCode.Array32 => Array(code),
        _ => throw Unexpected(code, "a value"),
    };

    private void SkipPlain(byte code)
    {
        switch (code >> 4)
        {
            case 0x4:
                break;
            case >= 0x5 and <= 0x9:
                Fixed(FormatCode.LeastSize(code));
                break;
            case 0xa or 0xc or 0xe:
                Sized(Size8(), int.MaxValue, "A value");
                break;
            case 0xb or 0xd or 0xf:
                Sized(Size32(), int.MaxValue, "A value");
                break;
            default:
                throw Unexpected(code, "a value");
        }
    }

    private Described Described()
    {
        Deepen();
        var described = new Described(DescriptorValue(), ReadValue());
        _depth--;
        return described;
    }

    private object DescriptorValue()
    {
        var start = _position;
        return ReadValue() ?? throw new AmqpDecodeException("A descriptor that is null", start);
    }
}
