namespace Holdfast.Amqp;

internal ref partial struct AmqpReader
{
    private delegate T Element<T>(ref AmqpReader reader, byte code);

    /// <summary>What may be there several times: an array of symbols, or one symbol alone.</summary>
    public Symbol[] ReadSymbols() => ReadCode() switch
    {
        (FormatCode.Array8 or FormatCode.Array32) and var code => Array(code) is Symbol[] symbols ? symbols : throw Wrong("An array of something else than symbols"),
        var code => [Symbol(code)],
    };

    private object Array(byte code)
    {
        var outer = Enter(code == FormatCode.Array32, out var count);
        var elements = Elements(ReadCode(), count);
        Leave(outer);
        return elements;
    }

    private object Elements(byte code, int count)
    {
        if (code == FormatCode.Described)
            return DescribedElements(count);

        CheckRoom(code, count);
        return code switch
        {
            FormatCode.Null => new NullArray(count),
            FormatCode.True or FormatCode.False or FormatCode.Boolean => Fill(code, count, static (ref reader, code) => reader.Boolean(code)),
            FormatCode.UByte => new UByteArray(Fixed(count).ToArray()),
            FormatCode.UShort => Fill(code, count, static (ref reader, code) => reader.UShort(code)),
            FormatCode.UInt0 or FormatCode.SmallUInt or FormatCode.UInt => Fill(code, count, static (ref reader, code) => reader.UInt(code)),
            FormatCode.ULong0 or FormatCode.SmallULong or FormatCode.ULong => Fill(code, count, static (ref reader, code) => reader.ULong(code)),
            FormatCode.Byte => Fill(code, count, static (ref reader, _) => reader.Byte()),
            FormatCode.Short => Fill(code, count, static (ref reader, _) => reader.Short()),
            FormatCode.SmallInt or FormatCode.Int => Fill(code, count, static (ref reader, code) => reader.Int(code)),
            FormatCode.SmallLong or FormatCode.Long => Fill(code, count, static (ref reader, code) => reader.Long(code)),
            FormatCode.Float => Fill(code, count, static (ref reader, _) => reader.Float()),
            FormatCode.Double => Fill(code, count, static (ref reader, _) => reader.Double()),
            FormatCode.Decimal32 => Fill(code, count, static (ref reader, _) => reader.Decimal32()),
            FormatCode.Decimal64 => Fill(code, count, static (ref reader, _) => reader.Decimal64()),
            FormatCode.Decimal128 => Fill(code, count, static (ref reader, _) => reader.Decimal128()),
            FormatCode.Char => Fill(code, count, static (ref reader, _) => reader.Char()),
            FormatCode.Timestamp => Fill(code, count, static (ref reader, code) => reader.Timestamp(code)),
            FormatCode.Uuid => Fill(code, count, static (ref reader, _) => reader.Uuid()),
            FormatCode.Binary8 or FormatCode.Binary32 => Fill(code, count, static (ref reader, code) => reader.Binary(code).ToArray()),
            FormatCode.String8 or FormatCode.String32 => Fill(code, count, static (ref reader, code) => reader.String(code)),
            FormatCode.Symbol8 or FormatCode.Symbol32 => Fill(code, count, static (ref reader, code) => reader.Symbol(code)),
            FormatCode.List0 or FormatCode.List8 or FormatCode.List32 => Fill(code, count, static (ref reader, code) => reader.List(code)),
            FormatCode.Map8 or FormatCode.Map32 => Fill(code, count, static (ref reader, code) => reader.Map(code)),
            FormatCode.Array8 or FormatCode.Array32 => new NestedArray(Fill(code, count, static (ref reader, code) => reader.Array(code))),
            _ => throw Unexpected(code, "the constructor of an array's elements"),
        };
    }

    // Its elements share one descriptor. Were descriptors to be stacked, a byte could stand for a stack of objects.
    private Described[] DescribedElements(int count)
    {
        Deepen();
        var descriptor = DescriptorValue();
        var code = ReadCode();
        if (code == FormatCode.Described)
            throw Wrong("An array whose elements are described twice over", 1);

        CheckRoom(code, count);
        var elements = new Described[count];
        for (var i = 0; i < count; i++)
            elements[i] = new(descriptor, Value(code));
        _depth--;
        return elements;
    }

    private T[] Fill<T>(byte code, int count, Element<T> read)
    {
        var elements = new T[count];
        for (var i = 0; i < count; i++)
            elements[i] = read(ref this, code);
        return elements;
    }

    private void CheckRoom(byte code, int count)
    {
        var least = FormatCode.LeastSize(code);
        if (least == 0)
            _byteless += count;
        if (_byteless > _limits.MaxBytelessItems)
            throw Wrong($"{_byteless} elements that take no bytes, but no more than {_limits.MaxBytelessItems} are taken");
        if ((long)count * least > Remaining)
            throw Wrong($"{count} elements of {least} bytes or more in {Remaining} bytes");
    }
}
