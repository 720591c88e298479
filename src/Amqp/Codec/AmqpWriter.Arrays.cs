using System.Collections;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    internal void WriteArray(ReadOnlySpan<Guid> items)
    {
        var start = BeginArray(FormatCode.Uuid);
        foreach (var item in items)
            Put(item);
        EndArray(start, items.Length);
    }

    internal void WriteArray(ReadOnlySpan<long> items)
    {
        var start = BeginArray(FormatCode.Long);
        foreach (var item in items)
            Put((ulong)item);
        EndArray(start, items.Length);
    }

    internal void WriteArray(ReadOnlySpan<AmqpTimestamp> items)
    {
        var start = BeginArray(FormatCode.Timestamp);
        foreach (var item in items)
            Put((ulong)item.Milliseconds);
        EndArray(start, items.Length);
    }

    internal void WriteArray(ReadOnlySpan<Symbol> items)
    {
        var longest = 0;
        foreach (var item in items)
            longest = Math.Max(longest, item.Value.Length);

        var isSmall = longest <= byte.MaxValue;
        var start = BeginArray(isSmall ? FormatCode.Symbol8 : FormatCode.Symbol32);
        foreach (var item in items)
        {
            if (isSmall)
                Put((byte)item.Value.Length);
            else
                Put((uint)item.Value.Length);
            PutAscii(item.Value);
        }

        EndArray(start, items.Length);
    }

    // By exact type: to the CLR a ulong[] is a long[], too.
    private void WriteArray(Array items)
    {
        var type = items.GetType();
        if (type == typeof(Guid[]))
            WriteArray((Guid[])items);
        else if (type == typeof(long[]))
            WriteArray((long[])items);
        else if (type == typeof(AmqpTimestamp[]))
            WriteArray((AmqpTimestamp[])items);
        else if (type == typeof(Symbol[]))
            WriteArray((Symbol[])items);
        else if (type == typeof(Described[]))
            WriteArray((Described[])items);
        else
            WriteArray(items, items.Length, ElementCode.Of(type.GetElementType()!));
    }

    private void WriteArray(IEnumerable items, int count, byte code)
    {
        var start = BeginArray(code);
        foreach (var item in items)
            PutElement(item, code);
        EndArray(start, count);
    }

    private void WriteArray(ReadOnlySpan<Described> items)
    {
        var start = BeginArray(FormatCode.Described);
        if (items.IsEmpty)
        {
            WriteULong(Descriptor.Unknown);
            Put(FormatCode.Null);
        }
        else
        {
            var descriptor = items[0].Descriptor;
            var code = ElementCode.Of(items[0].Value);
            WriteValue(descriptor);
            Put(code);
            foreach (var item in items)
            {
                if (!KeyComparer.Instance.Equals(item.Descriptor, descriptor))
                    throw new ArgumentException("The elements of an array have one descriptor.");
                PutElement(item.Value, code);
            }
        }

        EndArray(start, items.Length);
    }

    private void WriteArray(UByteArray items)
    {
        var start = BeginArray(FormatCode.UByte);
        WriteRaw(items.Items.Span);
        EndArray(start, items.Items.Length);
    }

    private int BeginArray(byte code)
    {
        var start = BeginCompound();
        Put(code);
        return start;
    }

    private void EndArray(int start, int count) => EndCompound(start, count, FormatCode.Array8, FormatCode.Array32);
}
