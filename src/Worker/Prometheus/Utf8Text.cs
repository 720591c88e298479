using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace Holdfast.Worker.Prometheus;

/// <summary>UTF-8 text that grows in a buffer of the pool's.</summary>
internal sealed class Utf8Text
{
    private const int LongestNumber = 32;

    private static readonly SearchValues<char> s_escaped = SearchValues.Create("\\\"\n");

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(16 * 1024);

    public int Length { get; private set; }

    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(0, Length);

    public void ReturnToPool()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
        Length = 0;
    }

    public void CutTo(int length) => Length = length;

    public ReadOnlySpan<byte> Slice(int start, int length) => _bytes.AsSpan(start, length);

    public void Write(ReadOnlySpan<byte> text)
    {
        text.CopyTo(Room(text.Length));
        Length += text.Length;
    }

    public void Write(byte character)
    {
        Room(1)[0] = character;
        Length++;
    }

    public void Write(string text) => Length += Encoding.UTF8.GetBytes(text, Room(Encoding.UTF8.GetMaxByteCount(text.Length)));

    public void Write(long number)
    {
        Utf8Formatter.TryFormat(number, Room(LongestNumber), out var written);
        Length += written;
    }

    public void Write(double number)
    {
        if (double.IsNaN(number))
            Write("NaN"u8);
        else if (double.IsInfinity(number))
            Write(number > 0 ? "+Inf"u8 : "-Inf"u8);
        else
        {
            number.TryFormat(Room(LongestNumber), out var written, provider: CultureInfo.InvariantCulture);
            Length += written;
        }
    }

    /// <summary>Writes again what stands at an earlier place.</summary>
    public void Repeat(int start, int length)
    {
        var room = Room(length);
        _bytes.AsSpan(start, length).CopyTo(room);
        Length += length;
    }

    /// <summary>Writes a label's value, or in OpenMetrics also a help text.</summary>
    public void WriteEscaped(string text, bool quotes = true)
    {
        var rest = text.AsSpan();
        for (var at = rest.IndexOfAny(s_escaped); at >= 0; at = rest.IndexOfAny(s_escaped))
        {
            WriteChars(rest[..at]);
            Write(rest[at] switch
            {
                '\n' => "\\n"u8,
                '\\' => "\\\\"u8,
                _ => quotes ? "\\\""u8 : "\""u8,
            });
            rest = rest[(at + 1)..];
        }

        WriteChars(rest);
    }

    private void WriteChars(ReadOnlySpan<char> text) =>
        Length += Encoding.UTF8.GetBytes(text, Room(Encoding.UTF8.GetMaxByteCount(text.Length)));

    private Span<byte> Room(int size)
    {
        if (_bytes.Length - Length < size)
            Grow(size);
        return _bytes.AsSpan(Length);
    }

    private void Grow(int size)
    {
        var larger = ArrayPool<byte>.Shared.Rent(Math.Max(_bytes.Length * 2, Length + size));
        _bytes.AsSpan(0, Length).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }
}
