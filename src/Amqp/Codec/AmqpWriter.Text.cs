using System.Buffers;
using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    internal void WriteBinary(ReadOnlySpan<byte> value)
    {
        PutSize(value.Length, FormatCode.Binary8, FormatCode.Binary32);
        WriteRaw(value);
    }

    /// <summary>Half a surrogate pair is no text, and is replaced: a message whose reason was cut there must be settled all the same.</summary>
    internal void WriteString(string value)
    {
        var size = Encoding.UTF8.GetByteCount(value);
        PutSize(size, FormatCode.String8, FormatCode.String32);
        Encoding.UTF8.GetBytes(value, Take(size));
    }

    /// <exception cref="ArgumentException">Symbols are ASCII.</exception>
    internal void WriteSymbol(Symbol value)
    {
        PutSize(value.Value.Length, FormatCode.Symbol8, FormatCode.Symbol32);
        PutAscii(value.Value);
    }

    private void PutAscii(string text)
    {
        if (Ascii.FromUtf16(text, Take(text.Length), out _) != OperationStatus.Done)
            throw new ArgumentException($"A symbol is ASCII, which '{text}' is not.");
    }

    private void PutSize(int size, byte small, byte large)
    {
        if (size <= byte.MaxValue)
            Put(small, (byte)size);
        else
            Put(large, (uint)size);
    }
}
