namespace Holdfast.Amqp;

/// <summary>
/// What can't be read of a section whose fields have their places, a header's or the properties'. Each such field is not set, and sent on as it came unless it is
/// set by then.
/// </summary>
public sealed class UnreadParts
{
    private readonly Dictionary<int, ReadOnlyMemory<byte>> _parts = [];
    private readonly ReadOnlyMemory<byte> _payload;

    internal UnreadParts(ReadOnlyMemory<byte> payload, string problem) => (_payload, Problem) = (payload, problem);

    /// <summary>What is wrong with the first of them.</summary>
    public string Problem { get; }

    /// <summary>The section, where its fields can't be told from one another: then nothing of it is set, and all of it sent on as it came.</summary>
    internal ReadOnlyMemory<byte> Whole { get; init; }

    /// <summary>Writes the section as it came, where that is all there is of it.</summary>
    internal bool TryWriteWhole(AmqpWriter writer)
    {
        writer.WriteRaw(Whole.Span);
        return !Whole.IsEmpty;
    }

    internal void Add(int place, int start, int end) => _parts[place] = _payload[start..end];

    /// <summary>Nothing where that field was read, or was not there.</summary>
    internal ReadOnlyMemory<byte> At(int place) => _parts.GetValueOrDefault(place);
}
