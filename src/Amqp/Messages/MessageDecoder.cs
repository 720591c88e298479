namespace Holdfast.Amqp;

/// <summary>Takes a message apart, section by section; each has its place in the order.</summary>
internal ref struct MessageDecoder
{
    private readonly ReadOnlyMemory<byte> _payload;
    private AmqpReader _reader;

    private MessageDecoder(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        _payload = payload;
        _reader = new AmqpReader(payload.Span, limits);
    }

    public static AmqpMessage Decode(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        var decoder = new MessageDecoder(payload, limits);
        var message = new AmqpMessage
        {
            Header = decoder.Next(Descriptor.Header) ? MessageHeader.Decode(ref decoder._reader) : null,
            DeliveryAnnotations = decoder.Map(Descriptor.DeliveryAnnotations),
            MessageAnnotations = decoder.Map(Descriptor.MessageAnnotations),
            Properties = decoder.Next(Descriptor.Properties) ? MessageProperties.Decode(ref decoder._reader) : null,
            ApplicationProperties = decoder.Application(),
            Body = decoder.Body(),
            Footer = decoder.Footer(),
        };
        return decoder._reader.IsAtEnd
            ? message
            : throw new AmqpDecodeException("A section of a message that is unknown, twice there or out of its place", decoder._reader.Position);
    }

    private AmqpFields? Map(ulong section) => Next(section) ? _reader.ReadFieldMap() : null;

    private ApplicationProperties? Application()
    {
        var start = _reader;
        if (!Next(Descriptor.ApplicationProperties))
            return null;
        var value = _reader;
        try
        {
            return _reader.ReadApplicationProperties();
        }
        catch (AmqpDecodeException wrong)
        {
            var unread = new UnreadProperties(GoPast(start), wrong.Message);
            value.ReadIfReadable(unread);
            return unread;
        }
    }

    private AmqpFields? Footer()
    {
        var start = _reader;
        try
        {
            return Map(Descriptor.Footer);
        }
        catch (AmqpDecodeException wrong)
        {
            return new UnreadFields(GoPast(start), wrong.Message);
        }
    }

    // However wrong a section's value is, it says how long it is.
    private ReadOnlyMemory<byte> GoPast(AmqpReader section)
    {
        var start = section.Position;
        _reader = section;
        _reader.Skip();
        return _payload[start.._reader.Position];
    }

    private MessageBody? Body()
    {
        var start = _reader;
        string problem;
        try
        {
            var body = ReadBody();
            if (!NextOfBody())
                return body;
            problem = "Sections of a body that do not go together";
        }
        catch (AmqpDecodeException wrong)
        {
            problem = wrong.Message;
        }

        _reader = start;
        return Unread(problem);
    }

    private MessageBody? ReadBody()
    {
        if (Next(Descriptor.Data))
            return Data();
        if (Next(Descriptor.AmqpValue))
            return new ValueBody(_reader.ReadValue());
        return Next(Descriptor.AmqpSequence) ? Sequence() : null;
    }

    private DataBody Data()
    {
        var first = Slice();
        if (!Next(Descriptor.Data))
            return new DataBody(first);
        List<ReadOnlyMemory<byte>> sections = [first];
        do
            sections.Add(Slice());
        while (Next(Descriptor.Data));
        return new DataBody(sections);
    }

    private ReadOnlyMemory<byte> Slice()
    {
        var size = _reader.ReadBinary().Length;
        return _payload.Slice(_reader.Position - size, size);
    }

    private SequenceBody Sequence()
    {
        List<object?[]> sections = [];
        do
            sections.Add(_reader.ReadList());
        while (Next(Descriptor.AmqpSequence));
        return new SequenceBody(sections);
    }

    private UnreadBody Unread(string problem)
    {
        var start = _reader.Position;
        try
        {
            while (NextOfBody())
                _reader.Skip();
        }
        catch (AmqpDecodeException)
        {
            // Where it ends can't be told either: then all that is left is of it.
            _reader = new AmqpReader(_payload.Span[_payload.Length..]);
            return new UnreadBody(_payload[start..], problem);
        }

        return new UnreadBody(_payload[start.._reader.Position], problem);
    }

    private bool NextOfBody() => Next(Descriptor.Data) || Next(Descriptor.AmqpValue) || Next(Descriptor.AmqpSequence);

    // Whether that section is next; if so, its value is.
    private bool Next(ulong section)
    {
        if (_reader.IsAtEnd)
            return false;
        var ahead = _reader;
        if (ahead.ReadDescriptor() != section)
            return false;
        _reader = ahead;
        return true;
    }
}
