using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Adds up what the client has made of a message's headers: how many values they hold, and what those take in memory. A table of seven bytes on the wire is one of hundreds there.</summary>
internal struct HeaderWeight
{
    private const int Table = 128;
    private const int List = 56;
    private const int PlaceInTable = 28;
    private const int PlaceInList = 8;

    // Not by recursion: a stranger says how deep they lie. Most messages have none.
    private Stack<object>? _nested;

    /// <summary>In memory.</summary>
    public long Bytes { get; private set; }

    /// <summary>Of those in lists and tables each counts, and the lists and tables too.</summary>
    public int Values { get; private set; }

    public static HeaderWeight Of(IDictionary<string, object?> headers)
    {
        var weight = default(HeaderWeight);
        object? next = headers;
        do
            weight.AddAllOf(next);
        while (weight._nested is { } nested && nested.TryPop(out next));
        return weight;
    }

    private void AddAllOf(object? nest)
    {
        switch (nest)
        {
            case Dictionary<string, object?> table:
                Bytes += Table + (PlaceInTable * (long)table.Capacity);
                foreach (var (name, value) in table)
                    Add(name, value);
                break;
            case IDictionary<string, object?> table:
                Bytes += Table + (PlaceInTable * (long)table.Count);
                foreach (var (name, value) in table)
                    Add(name, value);
                break;
            case IList<object?> list:
                Bytes += List + (PlaceInList * (long)list.Count);
                for (var i = 0; i < list.Count; i++)
                    Add(list[i]);
                break;
        }
    }

    private void Add(string name, object? value)
    {
        Bytes += Footprint.OfText(name);
        Add(value);
    }

    private void Add(object? value)
    {
        Values++;
        switch (value)
        {
            case null:
                break;
            case byte[] bytes:
                Bytes += Footprint.OfBytes(bytes.Length);
                break;
            case BinaryTableValue binary:
                Bytes += Footprint.Small + Footprint.OfBytes(binary.Bytes.Length);
                break;
            case IDictionary<string, object?> or IList<object?>:
                (_nested ??= new()).Push(value);
                break;
            default:
                Bytes += Footprint.Small;
                break;
        }
    }
}
