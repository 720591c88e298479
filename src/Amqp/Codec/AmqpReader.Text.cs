using System.Buffers.Binary;
using System.Text;

namespace Holdfast.Amqp;

internal ref partial struct AmqpReader
{
    /// <summary>A slice of what is being read; its end is where the reader then stands.</summary>
    public ReadOnlySpan<byte> ReadBinary() => Binary(ReadCode());

    public string ReadString() => String(ReadCode());

    public Symbol ReadSymbol() => Symbol(ReadCode());

    private ReadOnlySpan<byte> Binary(byte code) => code switch
    {
        FormatCode.Binary8 => Sized(Size8(), _limits.MaxBinarySize, "A binary value"),
        FormatCode.Binary32 => Sized(Size32(), _limits.MaxBinarySize, "A binary value"),
        _ => throw Unexpected(code, "a binary value"),
    };

    private string String(byte code) => code switch
    {
        FormatCode.String8 => Utf8(Sized(Size8(), _limits.MaxTextSize, "A string")),
        FormatCode.String32 => Utf8(Sized(Size32(), _limits.MaxTextSize, "A string")),
        _ => throw Unexpected(code, "a string"),
    };

    private Symbol Symbol(byte code) => code switch
    {
        FormatCode.Symbol8 => new(AsciiText(Sized(Size8(), _limits.MaxTextSize, "A symbol"))),
        FormatCode.Symbol32 => new(AsciiText(Sized(Size32(), _limits.MaxTextSize, "A symbol"))),
        _ => throw Unexpected(code, "a symbol"),
    };

    /// <summary>The key of a map that has names for keys. Some peers write symbols where strings belong, and the other way round.</summary>
    private string Name()
    {
        var code = ReadCode();
        var text = code switch
        {
            FormatCode.Symbol8 or FormatCode.String8 => Sized(Size8(), _limits.MaxTextSize, "A key"),
            FormatCode.Symbol32 or FormatCode.String32 => Sized(Size32(), _limits.MaxTextSize, "A key"),
            _ => throw Unexpected(code, "a string or symbol as a key"),
        };
        return text.Length <= TextCache.LongestName && Ascii.IsValid(text) ? TextCache.Get(text) : Utf8(text);
    }

    // The key of which is known already that it is whole; null where it is no name.
    private string? NameIfText()
    {
        var text = ReadCode() switch
        {
            FormatCode.Symbol8 or FormatCode.String8 => Fixed((int)Size8()),
            FormatCode.Symbol32 or FormatCode.String32 => Fixed((int)Size32()),
            _ => default,
        };
        return !text.IsEmpty && System.Text.Unicode.Utf8.IsValid(text) ? Encoding.UTF8.GetString(text) : null;
    }

    private uint Size8() => Fixed(1)[0];

    private uint Size32() => BinaryPrimitives.ReadUInt32BigEndian(Fixed(4));

    private ReadOnlySpan<byte> Sized(uint size, int most, string what)
    {
        if (size > Remaining)
            throw TooShort(size);
        return size <= most ? Fixed((int)size) : throw Wrong($"{what} of {size} bytes, but no more than {most} are taken");
    }

    private readonly string Utf8(ReadOnlySpan<byte> text) =>
        System.Text.Unicode.Utf8.IsValid(text) ? Encoding.UTF8.GetString(text) : throw Wrong("A string that is not UTF-8", text.Length);

    private readonly string AsciiText(ReadOnlySpan<byte> text)
    {
        if (!Ascii.IsValid(text))
            throw Wrong("A symbol that is not ASCII", text.Length);
        return text.Length <= TextCache.LongestName ? TextCache.Get(text) : Encoding.ASCII.GetString(text);
    }
}
