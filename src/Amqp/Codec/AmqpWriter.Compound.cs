using System.Buffers.Binary;
using System.Text;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    // Constructor, size, count: of a byte each, and of four bytes each behind the constructor.
    private const int SmallHead = 3;
    private const int LargeHead = 9;

    /// <summary>The constructor of a described value: its descriptor. What it describes is to be written next.</summary>
    internal void WriteDescriptor(ulong descriptor)
    {
        Put(FormatCode.Described);
        WriteULong(descriptor);
    }

    internal void WriteList(IReadOnlyList<object?> items)
    {
        var start = BeginCompound();
        for (var i = 0; i < items.Count; i++)
            WriteValue(items[i]);
        EndList(start, items.Count);
    }

    internal void WriteMap(AmqpMap map)
    {
        var start = BeginCompound();
        foreach (var (key, value) in map)
        {
            WriteValue(key);
            WriteValue(value);
        }

        EndMap(start, map.Count);
    }

    internal void WriteMap(AmqpFields map)
    {
        var start = BeginCompound();
        foreach (var (key, value) in map)
        {
            WriteSymbol(key);
            WriteValue(value);
        }

        EndMap(start, map.Count);
    }

    /// <summary>The same in a message, whose sender chose the keys: one that no symbol can be came as a string, and goes on as one.</summary>
    internal void WriteStrangersMap(AmqpFields map)
    {
        var start = BeginCompound();
        foreach (var (key, value) in map)
        {
            if (Ascii.IsValid(key.Value))
                WriteSymbol(key);
            else
                WriteString(key.Value);
            WriteValue(value);
        }

        EndMap(start, map.Count);
    }

    internal void WriteMap(ApplicationProperties map)
    {
        var start = BeginCompound();
        foreach (var (key, value) in map)
        {
            WriteString(key);
            WriteValue(value);
        }

        EndMap(start, map.Count);
    }

    /// <summary>Begins a composite: its descriptor, and the list of its fields.</summary>
    /// <param name="descriptor">Which it is.</param>
    /// <param name="unread">What of it could not be read, and goes on as it came.</param>
    internal FieldWriter BeginFields(ulong descriptor, UnreadParts? unread = null)
    {
        WriteDescriptor(descriptor);
        return new FieldWriter(this, BeginCompound(), unread);
    }

    internal void EndList(int start, int count)
    {
        if (count == 0)
        {
            Length = start;
            Put(FormatCode.List0);
            _depth--;
            return;
        }

        EndCompound(start, count, FormatCode.List8, FormatCode.List32);
    }

    private void EndMap(int start, int pairs) => EndCompound(start, 2 * pairs, FormatCode.Map8, FormatCode.Map32);

    // Most are small: room is left for a small head, and what follows is moved up should it turn out large.
    private int BeginCompound()
    {
        Deepen();
        var start = Length;
        Take(SmallHead);
        return start;
    }

    private void Deepen()
    {
        if (++_depth > AmqpLimits.Default.MaxDepth)
            throw new ArgumentException($"Values can't lie more than {AmqpLimits.Default.MaxDepth} deep within one another.");
    }

    private void EndCompound(int start, int count, byte small, byte large)
    {
        _depth--;
        var body = Length - start - SmallHead;

        // The size counts what stands behind itself: the count, too.
        if (body + 1 <= byte.MaxValue && count <= byte.MaxValue)
        {
            var head = From(start);
            head[0] = small;
            head[1] = (byte)(body + 1);
            head[2] = (byte)count;
        }
        else
        {
            Take(LargeHead - SmallHead);
            var head = From(start);
            head.Slice(SmallHead, body).CopyTo(head[LargeHead..]);
            PutLargeHead(head, large, body, count);
        }
    }

    private static void PutLargeHead(Span<byte> head, byte code, int body, int count)
    {
        head[0] = code;
        BinaryPrimitives.WriteUInt32BigEndian(head[1..], (uint)body + 4);
        BinaryPrimitives.WriteUInt32BigEndian(head[5..], (uint)count);
    }
}
