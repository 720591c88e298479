namespace Holdfast.Amqp;

/// <summary>
/// Takes a message apart, section by section; each has its place in the order. Strangers wrote them, so whatever can't be read is kept as it came:
/// a value, a section, or from where a section's end can't be told all that is left.
/// </summary>
internal ref struct MessageDecoder
{
    private readonly ReadOnlyMemory<byte> _payload;
    private AmqpReader _reader;
    private int _rest;

    private MessageDecoder(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        _payload = payload;
        _reader = new AmqpReader(payload.Span, limits);
    }

    private delegate T Fields<T>(ref AmqpReader reader, UnreadParts? unread);

    public static AmqpMessage Decode(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        var decoder = new MessageDecoder(payload, limits);
        MessageHeader? header = null;
        AmqpFields? deliveryAnnotations = null, messageAnnotations = null, footer = null;
        MessageProperties? properties = null;
        ApplicationProperties? applicationProperties = null;
        MessageBody? body;
        try
        {
            header = decoder.Listed(Descriptor.Header, MessageHeader.Decode);
            deliveryAnnotations = decoder.Map(Descriptor.DeliveryAnnotations);
            messageAnnotations = decoder.Map(Descriptor.MessageAnnotations);
            properties = decoder.Listed(Descriptor.Properties, MessageProperties.Decode);
            applicationProperties = decoder.Application();
            body = decoder.Body();
            footer = decoder.Map(Descriptor.Footer);
            decoder.End();
        }
        catch (AmqpDecodeException wrong)
        {
            (body, footer) = (new UnreadBody(payload[decoder._rest..], wrong.Message), null);
        }

        return new()
        {
            Header = header,
            DeliveryAnnotations = deliveryAnnotations,
            MessageAnnotations = messageAnnotations,
            Properties = properties,
            ApplicationProperties = applicationProperties,
            Body = body,
            Footer = footer,
        };
    }

    private readonly void End()
    {
        if (!_reader.IsAtEnd)
            throw new AmqpDecodeException("A section of a message that is unknown, twice there or out of its place", _reader.Position);
    }

    private T? Listed<T>(ulong section, Fields<T> read)
        where T : class
    {
        var start = Begin();
        if (!Next(section))
            return null;
        var value = _reader;
        try
        {
            return read(ref _reader, unread: null);
        }
        catch (AmqpDecodeException wrong)
        {
            var whole = GoPast(start);
            try
            {
                return read(ref value, new UnreadParts(_payload, wrong.Message));
            }
            catch (AmqpDecodeException)
            {
                var nothing = new AmqpReader([FormatCode.List0]);
                return read(ref nothing, new UnreadParts(_payload, wrong.Message) { Whole = whole });
            }
        }
    }

    private AmqpFields? Map(ulong section)
    {
        // What stands behind a body goes with it.
        var start = section == Descriptor.Footer ? _reader : Begin();
        if (!Next(section))
            return null;
        var value = _reader;
        try
        {
            return _reader.ReadFieldMap();
        }
        catch (AmqpDecodeException wrong)
        {
            var unread = new UnreadFields(GoPast(start), wrong.Message);
            value.ReadIfReadable(unread, _payload);
            return unread;
        }
    }

    private ApplicationProperties? Application()
    {
        var start = Begin();
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

    // From here on it is kept as it came, should the section have no end.
    private AmqpReader Begin()
    {
        _rest = _reader.Position;
        return _reader;
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
        var start = Begin();
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
