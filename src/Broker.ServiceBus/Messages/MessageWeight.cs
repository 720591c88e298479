using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Adds up what has been made of a message's sections, which is held as long as the message is. A byte on the wire may be a number in memory.</summary>
internal static class MessageWeight
{
    private const int PlaceInList = 8;
    private const int PlaceInArray = 16;

    /// <param name="message">As it came.</param>
    /// <param name="body">Its body, as a handler sees it.</param>
    public static int Of(AmqpMessage message, ReadOnlyMemory<byte> body) => Footprint.Told(
        body.Length
        + Fields(message.DeliveryAnnotations)
        + Fields(message.MessageAnnotations)
        + Properties(message.ApplicationProperties)
        + Body(message.Body)
        + Fields(message.Footer));

    // Data are the body itself, unless several sections were made one.
    private static long Body(MessageBody? body) => body switch
    {
        DataBody { Sections.Count: > 1 } data => data.Sections.Sum(section => (long)section.Length),
        ValueBody { Value: var value } => Value(value),
        SequenceBody sequence => sequence.Sections.Sum(List),
        UnreadBody unread => unread.Encoded.Length,
        _ => 0,
    };

    private static long Fields(AmqpFields? fields)
    {
        var weight = fields is UnreadFields unread ? unread.Encoded.Length : 0L;
        if (fields is not null)
        {
            foreach (var (name, value) in fields)
                weight += Footprint.Place + Footprint.OfText(name.Value) + Value(value);
        }

        return weight;
    }

    // Handlers see them in a table of its own.
    private static long Properties(ApplicationProperties? properties)
    {
        var weight = properties is UnreadProperties unread ? unread.Encoded.Length : 0L;
        if (properties is not null)
        {
            foreach (var (name, value) in properties)
                weight += (2 * Footprint.Place) + Footprint.OfText(name) + Value(value);
        }

        return weight;
    }

    // By recursion: the decoder bounds how deep they lie.
    private static long Value(object? value) => value switch
    {
        null => 0,
        string text => Footprint.OfText(text),
        Symbol symbol => Footprint.Small + Footprint.OfText(symbol.Value),
        byte[] bytes => Footprint.OfBytes(bytes.Length),
        UByteArray bytes => Footprint.Small + Footprint.OfBytes(bytes.Items.Length),
        AmqpMap map => Map(map),
        Described described => Footprint.Small + Value(described.Descriptor) + Value(described.Value),
        NestedArray array => List(array.Items),
        Symbol[] symbols => symbols.Sum(symbol => Footprint.OfText(symbol.Value)),
        IReadOnlyList<object?> list => List(list),
        Array array => Footprint.Small + (PlaceInArray * (long)array.Length),
        _ => Footprint.Small,
    };

    private static long Map(AmqpMap map)
    {
        var weight = (long)Footprint.Place;
        foreach (var (key, value) in map)
            weight += Footprint.Place + Value(key) + Value(value);
        return weight;
    }

    private static long List(IReadOnlyList<object?> list)
    {
        var weight = (long)Footprint.Small;
        for (var i = 0; i < list.Count; i++)
            weight += PlaceInList + Value(list[i]);
        return weight;
    }
}
