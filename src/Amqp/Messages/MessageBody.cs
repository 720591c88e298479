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
    public ReadOnlyMemory<byte> Bytes => Sections is [var only] ? only : Sections.SelectMany(section => section.ToArray()).ToArray();

    internal override void Encode(AmqpWriter writer)
    {
        for (var i = 0; i < Sections.Count; i++)
        {
            writer.WriteDescriptor(Descriptor.Data);
            writer.WriteBinary(Sections[i].Span);
        }
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
