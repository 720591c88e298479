using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

/// <summary>
/// A peer that says whatever comes to its mind: mostly what could be meant, now and then what can't. It talks to a connection with
/// a session, a link that receives and settles, and a link that sends: the same for the same seed.
/// </summary>
internal sealed class HostilePeer(int seed)
{
    private const uint In = 9;
    private const uint Out = 7;

    private readonly Random _random = new(seed);
    private readonly Mutator _mutator = new(new Random(seed));
    private PeerByHand _peer = null!;
    private uint _delivery;
    private uint _heard;

    /// <summary>What was asked of the connection, and must come to an end.</summary>
    public List<Task> Asked { get; } = [];

    public List<AmqpException> LinksClosed { get; } = [];

    public int Arrived { get; private set; }

    /// <summary>How many bytes come at once, at most.</summary>
    public int Piece { get; init; } = int.MaxValue;

    public async Task<PeerByHand> ConverseAsync(int words)
    {
        using var said = new FrameReader(new AmqpLimits { MaxFrameSize = 1024 * 1024 });
        (_peer, var session) = await PeerByHand.BegunAsync();
        _peer.Piece = Piece;
        var sender = await OpenLinksAsync(session);
        for (; words > 0 && _peer.IsListened; words--)
        {
            if (_random.Next(4) == 0)
                Asked.Add(sender.SendAsync(new byte[_random.Next(2_000)], 0, settled: false, default).AsTask());
            if (_random.Next(60) == 0)
                _peer.SayBytes(_mutator.Spoil(Frame(Word()), CapturedFrames.All[_random.Next(CapturedFrames.All.Count)]).Span);
            else
                _peer.SayBytes(Frame(Word()));
            HearOut(said);
        }

        return _peer;
    }

    private async Task<AmqpSender> OpenLinksAsync(AmqpSession session)
    {
        var receiving = session.OpenReceiverAsync(
            new ReceiverOptions
            {
                Source = new Source { Address = "in" },
                SettleMode = ReceiverSettleMode.Second,
                Credit = 10,
                RenewsCredit = true,
                MaxMessageSize = 4_096,
                OnDelivery = OnDelivery,
                OnClosed = LinksClosed.Add,
            },
            default).AsTask();
        var attach = _peer.Next<Attach>();
        _peer.Say(new Attach { Name = attach.Name, Handle = In, Role = Role.Sender, Source = attach.Source, Target = attach.Target, InitialDeliveryCount = 0 });
        await receiving;

        var sending = session.OpenSenderAsync(new SenderOptions { Target = new Target { Address = "out" }, OnClosed = LinksClosed.Add }, default).AsTask();
        _peer.Next<Flow>();
        attach = _peer.Next<Attach>();
        _peer.Say(new Attach { Name = attach.Name, Handle = Out, Role = Role.Receiver, Source = attach.Source, Target = attach.Target });
        return await sending;
    }

    private void OnDelivery(AmqpDelivery delivery)
    {
        Arrived++;
        if (!delivery.IsSettled)
            Asked.Add(delivery.Receiver.SettleAsync(delivery, Accepted.Instance, default).AsTask());
    }

    // Every word of ours is one that another engine could read, whatever was said to us.
    private void HearOut(FrameReader said)
    {
        while (_peer.Connection.TakeOutgoing() is { IsEmpty: false } bytes)
        {
            while (!bytes.IsEmpty)
            {
                var room = said.Room().Span;
                var piece = Math.Min(room.Length, bytes.Length);
                bytes[..piece].CopyTo(room);
                said.Advance(piece);
                bytes = bytes[piece..];
                while (said.TryReadFrame(out var frame))
                {
                    var reader = new AmqpReader(frame.Body.Span);
                    if (AnyPerformative.Decode(ref reader) is Transfer { DeliveryId: { } id })
                        _heard = id + 1;
                }
            }
        }
    }

    private byte[] Frame(object performative)
    {
        using var writer = new AmqpWriter();
        var start = Holdfast.Amqp.Frame.Begin(writer, FrameType.Amqp, (ushort)(_random.Next(80) == 0 ? 1 : 0));
        AnyPerformative.Encode(performative, writer);
        if (performative is Transfer)
            writer.WriteRaw(new byte[_random.Next(_random.Next(8) == 0 ? 5_000 : 100)]);
        Holdfast.Amqp.Frame.End(writer, start);
        return writer.ToArray();
    }

    private object Word() => _random.Next(100) switch
    {
        < 40 => new Transfer
        {
            Handle = Handle(In),
            DeliveryId = Rarely() ? null : _delivery,
            DeliveryTag = Rarely() ? null : [1, 2, 3, 4],
            MessageFormat = 0,
            Settled = _random.Next(3) == 0,
            More = HasMore(),
            Aborted = Rarely(),
        },
        < 65 => Disposition(_random.Next(2) == 0 ? Role.Sender : Role.Receiver),
        < 90 => new Flow
        {
            NextIncomingId = Rarely() ? (uint)_random.Next(5) : 0,
            IncomingWindow = (uint)_random.Next(100),
            NextOutgoingId = (uint)_random.Next(5),
            OutgoingWindow = (uint)_random.Next(100),
            Handle = _random.Next(4) == 0 ? null : Handle(_random.Next(2) == 0 ? In : Out),
            DeliveryCount = Rarely() ? null : (uint)_random.Next(10),
            LinkCredit = Rarely() ? uint.MaxValue : (uint)_random.Next(10),
            Drain = _random.Next(5) == 0,
            Echo = _random.Next(5) == 0,
        },
        90 => new Detach { Handle = Handle(_random.Next(2) == 0 ? In : Out), Closed = _random.Next(2) == 0, Error = Error() },
        91 when Rarely() => new End(Error()),
        92 when Rarely() => new Close(Error()),
        93 => new Attach { Name = "nobody's", Handle = Handle(3), Role = Role.Sender, InitialDeliveryCount = 0 },
        94 when Rarely() => new Begin { RemoteChannel = (ushort)_random.Next(2), NextOutgoingId = 0, IncomingWindow = 10, OutgoingWindow = 10 },
        95 when Rarely() => new RandomPerformatives(_random).Next(),
        _ => new Flow { NextIncomingId = 0, IncomingWindow = 1_000, NextOutgoingId = 0, OutgoingWindow = 1_000, Handle = Out, DeliveryCount = 0, LinkCredit = 50 },
    };

    private Disposition Disposition(Role role)
    {
        var known = (int)(role == Role.Sender ? _delivery : _heard) + (Rarely() ? 3 : 0);
        var first = _random.Next(Math.Max(1, known));
        return new()
        {
            Role = known == 0 ? Role.Sender : role,
            First = (uint)first,
            Last = _random.Next(2) == 0 ? (uint)_random.Next(first, Math.Max(first + 1, known)) : null,
            Settled = _random.Next(4) != 0,
            State = State(),
        };
    }

    // The next delivery begins once this one has ended; mostly.
    private bool HasMore()
    {
        var hasMore = _random.Next(4) == 0;
        _delivery += hasMore && !Rarely() ? 0u : 1;
        return hasMore;
    }

    private DeliveryState? State() => _random.Next(6) switch
    {
        0 => null,
        1 => Released.Instance,
        2 => new Rejected(Error()),
        3 => new Modified(DeliveryFailed: true),
        4 => new Received(1, 2),
        _ => Accepted.Instance,
    };

    private AmqpError? Error() => _random.Next(2) == 0 ? new AmqpError("amqp:internal-error", "So it is.") : null;

    private uint Handle(uint meant) => _random.Next(60) == 0 ? (uint)_random.Next(12) : meant;

    private bool Rarely() => _random.Next(40) == 0;
}
