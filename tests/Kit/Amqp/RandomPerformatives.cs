using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Makes every performative, its optional fields set or not by chance: the same for the same seed.</summary>
internal sealed class RandomPerformatives(Random random)
{
    private readonly RandomValues _values = new(random);

    public object Next() => random.Next(13) switch
    {
        0 => Open(),
        1 => Begin(),
        2 => Attach(),
        3 => Flow(),
        4 => Transfer(),
        5 => Disposition(),
        6 => new Detach { Handle = Number(), Closed = Chance(), Error = Maybe(Error) },
        7 => new End(Maybe(Error)),
        8 => new Close(Maybe(Error)),
        9 => new SaslMechanisms(Symbols()),
        10 => new SaslInit(_values.Symbol(), Maybe(_values.Bytes), Maybe(_values.Text)),
        11 => new SaslChallenge(_values.Bytes()),
        _ => new SaslOutcome((SaslCode)random.Next(5), Maybe(_values.Bytes)),
    };

    public Transfer Transfer() => new()
    {
        Handle = Number(),
        DeliveryId = MaybeNumber(),
        DeliveryTag = Maybe(() => _values.Bytes().Take(Holdfast.Amqp.Transfer.LongestTag).ToArray()),
        MessageFormat = MaybeNumber(),
        Settled = Chance() ? Chance() : null,
        More = Chance(),
        ReceiverSettleMode = Chance() ? (ReceiverSettleMode)random.Next(2) : null,
        State = Maybe(State),
        Resume = Chance(),
        Aborted = Chance(),
        Batchable = Chance(),
    };

    public AmqpMessage Message() => new()
    {
        Header = Maybe(() => new MessageHeader
        {
            Durable = Chance(),
            Priority = (byte)random.Next(10),
            TimeToLive = MaybeNumber(),
            FirstAcquirer = Chance(),
            DeliveryCount = Number(),
        }),
        DeliveryAnnotations = Maybe(_values.Fields),
        MessageAnnotations = Maybe(_values.Fields),
        Properties = Maybe(() => new MessageProperties
        {
            MessageId = Maybe(_values.Scalar),
            UserId = Maybe(_values.Bytes),
            To = Maybe(_values.Text),
            Subject = Maybe(_values.Text),
            ReplyTo = Maybe(_values.Text),
            CorrelationId = Maybe(_values.Scalar),
            ContentType = MaybeSymbol(),
            ContentEncoding = MaybeSymbol(),
            AbsoluteExpiryTime = Chance() ? new((long)_values.Bits(64)) : null,
            CreationTime = Chance() ? new((long)_values.Bits(64)) : null,
            GroupId = Maybe(_values.Text),
            GroupSequence = MaybeNumber(),
            ReplyToGroupId = Maybe(_values.Text),
        }),
        ApplicationProperties = Maybe(_values.Properties),
        Body = random.Next(5) switch
        {
            0 => null,
            1 => new DataBody(_values.Bytes()),
            2 => new DataBody(_values.Bytes(), _values.Bytes()),
            3 => new SequenceBody(_values.List(), _values.List()),
            _ => new ValueBody(_values.Next()),
        },
        Footer = Maybe(_values.Fields),
    };

    private Open Open() => new()
    {
        ContainerId = _values.Text(),
        Hostname = Maybe(_values.Text),
        MaxFrameSize = Number(),
        ChannelMax = (ushort)Number(),
        IdleTimeout = MaybeNumber(),
        OutgoingLocales = Maybe(Symbols),
        IncomingLocales = Maybe(Symbols),
        OfferedCapabilities = Maybe(Symbols),
        DesiredCapabilities = Maybe(Symbols),
        Properties = Maybe(_values.Fields),
    };

    private Begin Begin() => new()
    {
        RemoteChannel = Chance() ? (ushort)Number() : null,
        NextOutgoingId = Number(),
        IncomingWindow = Number(),
        OutgoingWindow = Number(),
        HandleMax = Number(),
        OfferedCapabilities = Maybe(Symbols),
        DesiredCapabilities = Maybe(Symbols),
        Properties = Maybe(_values.Fields),
    };

    private Attach Attach() => new()
    {
        Name = _values.Text(),
        Handle = Number(),
        Role = (Role)random.Next(2),
        SenderSettleMode = (SenderSettleMode)random.Next(3),
        ReceiverSettleMode = (ReceiverSettleMode)random.Next(2),
        Source = Maybe(Source),
        Target = Maybe(Target),
        Unsettled = Maybe(() => _values.Map(depth: 3)),
        IncompleteUnsettled = Chance(),
        InitialDeliveryCount = MaybeNumber(),
        MaxMessageSize = Chance() ? _values.Bits(64) : null,
        OfferedCapabilities = Maybe(Symbols),
        DesiredCapabilities = Maybe(Symbols),
        Properties = Maybe(_values.Fields),
    };

    private Source Source() => new()
    {
        Address = Maybe(_values.Text),
        Durable = Number(),
        ExpiryPolicy = MaybeSymbol(),
        Timeout = Number(),
        Dynamic = Chance(),
        DynamicNodeProperties = Maybe(_values.Fields),
        DistributionMode = MaybeSymbol(),
        Filter = Maybe(_values.Fields),
        DefaultOutcome = Maybe(State),
        Outcomes = Maybe(Symbols),
        Capabilities = Maybe(Symbols),
    };

    private LinkTarget Target() => Chance()
        ? new Coordinator(Maybe(Symbols))
        : new Target
        {
            Address = Maybe(_values.Text),
            Durable = Number(),
            ExpiryPolicy = MaybeSymbol(),
            Timeout = Number(),
            Dynamic = Chance(),
            DynamicNodeProperties = Maybe(_values.Fields),
            Capabilities = Maybe(Symbols),
        };

    private Flow Flow() => new()
    {
        NextIncomingId = MaybeNumber(),
        IncomingWindow = Number(),
        NextOutgoingId = Number(),
        OutgoingWindow = Number(),
        Handle = MaybeNumber(),
        DeliveryCount = MaybeNumber(),
        LinkCredit = MaybeNumber(),
        Available = MaybeNumber(),
        Drain = Chance(),
        Echo = Chance(),
        Properties = Maybe(_values.Fields),
    };

    private Disposition Disposition() => new()
    {
        Role = (Role)random.Next(2),
        First = Number(),
        Last = MaybeNumber(),
        Settled = Chance(),
        State = Maybe(State),
        Batchable = Chance(),
    };

    private DeliveryState State() => random.Next(6) switch
    {
        0 => Accepted.Instance,
        1 => Released.Instance,
        2 => new Rejected(Maybe(Error)),
        3 => new Modified(Chance(), Chance(), Maybe(_values.Fields)),
        4 => new Received(Number(), _values.Bits(64)),
        _ => new UnknownState(new Described(0x34UL, _values.List(depth: 3))),
    };

    private AmqpError Error() => new(_values.Symbol(), Maybe(_values.Text), Maybe(_values.Fields));

    private Symbol[] Symbols() => [.. Enumerable.Range(0, random.Next(4)).Select(_ => _values.Symbol())];

    private uint Number() => (uint)_values.Bits(32);

    private uint? MaybeNumber() => Chance() ? Number() : null;

    private Symbol? MaybeSymbol() => Chance() ? _values.Symbol() : default(Symbol?);

    private T? Maybe<T>(Func<T> make)
        where T : class => Chance() ? make() : null;

    private bool Chance() => random.Next(2) == 0;
}
