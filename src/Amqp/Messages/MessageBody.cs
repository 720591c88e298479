namespace Holdfast.Amqp;

/// <summary>What a message carries.</summary>
public abstract record MessageBody
{
    internal abstract void Encode(AmqpWriter writer);
}

/// <summary>Bytes, in one section or several.</summary>
public sealed record DataBody(params IReadOnlyList<ReadOnlyMemory<byte>> Sections) : MessageBody
{
    /// <summary>All sections as one: the bytes themselves where there is but one, else a copy.</summary>
    public ReadOnlyMemory<byte> Bytes => Sections is [var only] ? only : Joined();

    internal override void Encode(AmqpWriter writer)
    {
        for (var i = 0; i < Sections.Count; i++)
        {
            writer.WriteDescriptor(Descriptor.Data);
            writer.WriteBinary(Sections[i].Span);
        }
    }

    // They may be a hundred megabytes, and a connection's reader waits.
    private byte[] Joined()
    {
        var joined = GC.AllocateUninitializedArray<byte>(Sections.Sum(section => section.Length));
        var rest = joined.AsSpan();
        for (var i = 0; i < Sections.Count; i++)
        {
            Sections[i].Span.CopyTo(rest);
            rest = rest[Sections[i].Length..];
        }

        return joined;
    }
}

/// <summary>One value of any type.</summary>
public sealed record ValueBody(object? Value) : MessageBody
{
    internal override void Encode(AmqpWriter writer)
    {
        writer.WriteDescriptor(Descriptor.AmqpValue);
        writer.WriteValue(Value);
    }
}

/// <summary>What can't be read, or goes deeper or further than our limits: it can be sent on as it came, and nothing else.</summary>
/// <param name="Encoded">Its sections, as they came: a slice of the payload.</param>
/// <param name="Problem">What is wrong with it.</param>
public sealed record UnreadBody(ReadOnlyMemory<byte> Encoded, string Problem) : MessageBody
{
    internal override void Encode(AmqpWriter writer) => writer.WriteRaw(Encoded.Span);
}

/// <summary>Values of any types, in one section or several.</summary>
public sealed record SequenceBody(params IReadOnlyList<IReadOnlyList<object?>> Sections) : MessageBody
{
    internal override void Encode(AmqpWriter writer)
    {
        for (var i = 0; i < Sections.Count; i++)
        {
            writer.WriteDescriptor(Descriptor.AmqpSequence);
            writer.WriteList(Sections[i]);
        }
    }
}
