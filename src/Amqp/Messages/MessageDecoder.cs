namespace Holdfast.Amqp;

/// <summary>
/// Takes a message apart, section by section, in whatever order they stand: known senders have one of their own. Strangers wrote them, so whatever
/// can't be read is kept as it came: a value, a section, or from where a section's end can't be told all that is left.
/// </summary>
internal ref struct MessageDecoder
{
    private readonly ReadOnlyMemory<byte> _payload;
    private AmqpReader _reader;
    private MessageHeader? _header;
    private AmqpFields? _deliveryAnnotations;
    private AmqpFields? _messageAnnotations;
    private MessageProperties? _properties;
    private ApplicationProperties? _applicationProperties;
    private MessageBody? _body;
    private AmqpFields? _footer;

    private MessageDecoder(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        _payload = payload;
        _reader = new AmqpReader(payload.Span, limits);
    }

    private delegate T Fields<T>(ref AmqpReader reader, UnreadParts? unread);

    private readonly AmqpMessage Message => new()
    {
        Header = _header,
        DeliveryAnnotations = _deliveryAnnotations,
        MessageAnnotations = _messageAnnotations,
        Properties = _properties,
        ApplicationProperties = _applicationProperties,
        Body = _body,
        Footer = _footer,
    };

    public static AmqpMessage Decode(ReadOnlyMemory<byte> payload, AmqpLimits limits)
    {
        var decoder = new MessageDecoder(payload, limits);
        var before = decoder;
        try
        {
            while (!decoder._reader.IsAtEnd)
            {
                // What stands behind a body goes with it.
                if (decoder._body is null)
                    before = decoder;
                decoder.ReadSection();
            }

            return decoder.Message;
        }
        catch (AmqpDecodeException wrong)
        {
            before._body = new UnreadBody(payload[before._reader.Position..], wrong.Message);
            return before.Message;
        }
    }

    // By the specification a footer is last, but Microsoft's client for JavaScript writes it in front of the body, and the one for Python delivery
    // annotations behind everything. Both read any order, and so does the engine of Service Bus itself.
    private void ReadSection()
    {
        var start = _reader;
        var section = _reader.ReadDescriptor();
        switch (section)
        {
            case Descriptor.Header when _header is null:
                _header = Listed(start, MessageHeader.Decode);
                break;
            case Descriptor.DeliveryAnnotations when _deliveryAnnotations is null:
                _deliveryAnnotations = Map(start);
                break;
            case Descriptor.MessageAnnotations when _messageAnnotations is null:
                _messageAnnotations = Map(start);
                break;
            case Descriptor.Properties when _properties is null:
                _properties = Listed(start, MessageProperties.Decode);
                break;
            case Descriptor.ApplicationProperties when _applicationProperties is null:
                _applicationProperties = Application(start);
                break;
            case Descriptor.Data or Descriptor.AmqpValue or Descriptor.AmqpSequence when _body is null:
                _body = Body(start, section);
                break;
            case Descriptor.Footer when _footer is null:
                _footer = Map(start);
                break;
            default:
                throw new AmqpDecodeException("A section of a message that is unknown or twice there", start.Position);
        }
    }

    private T Listed<T>(AmqpReader start, Fields<T> read)
    {
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

    private AmqpFields Map(AmqpReader start)
    {
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

    private ApplicationProperties Application(AmqpReader start)
    {
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

    // However wrong a section's value is, it says how long it is.
    private ReadOnlyMemory<byte> GoPast(AmqpReader section)
    {
        var start = section.Position;
        _reader = section;
        _reader.Skip();
        return _payload[start.._reader.Position];
    }

    private MessageBody Body(AmqpReader start, ulong section)
    {
        string problem;
        try
        {
            var body = ReadBody(section);
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

    private MessageBody ReadBody(ulong section) => section switch
    {
        Descriptor.Data => Data(),
        Descriptor.AmqpSequence => Sequence(),
        _ => new ValueBody(_reader.ReadValue()),
    };

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
