using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Amqp;

/// <summary>A connection without threads, and the other end of it: what the connection says is looked at, and what it hears is said, by hand.</summary>
internal sealed class PeerByHand
{
    private readonly List<byte> _heard = [];

    public PeerByHand(Func<VirtualTime, Action<AmqpException>, AmqpConnectionOptions>? options = null)
    {
        Connection = new AmqpConnection((options ?? Plain)(Time, Closed.Add));
        Opening = Connection.Opened(CancellationToken.None).AsTask();
        Connection.OnConnected();
    }

    public VirtualTime Time { get; } = new();

    public AmqpConnection Connection { get; }

    public Task<AmqpConnection> Opening { get; }

    /// <summary>What was told when the connection ended.</summary>
    public List<AmqpException> Closed { get; } = [];

    /// <summary>Whether the connection still wants to hear anything.</summary>
    public bool IsListened { get; private set; } = true;

    public static AmqpConnectionOptions Plain(VirtualTime time, Action<AmqpException> closed) => new() { Host = "peer", ContainerId = "us", Time = time, OnClosed = closed };

    /// <summary>Whether the connection has said something that was not looked at.</summary>
    public bool HasMore
    {
        get
        {
            Listen();
            return _heard.Count > 0;
        }
    }

    /// <summary>After both have opened.</summary>
    public static PeerByHand Opened(Open? open = null, Func<VirtualTime, Action<AmqpException>, AmqpConnectionOptions>? options = null)
    {
        var peer = new PeerByHand(options);
        Assert.Equal(ProtocolHeader.Of(ProtocolId.Amqp), peer.NextHeader());
        peer.Next<Open>();
        peer.Say(ProtocolHeader.Of(ProtocolId.Amqp));
        peer.Say(open ?? new Open { ContainerId = "peer" });
        Assert.True(peer.Opening.IsCompletedSuccessfully, "The connection is not open.");
        return peer;
    }

    /// <summary>After both have begun a session.</summary>
    public static async Task<(PeerByHand Peer, AmqpSession Session)> BegunAsync(SessionOptions? options = null, uint window = 1000, Open? open = null)
    {
        var peer = Opened(open);
        return (peer, await peer.BeginAsync(options, window));
    }

    public async Task<AmqpSession> BeginAsync(SessionOptions? options = null, uint window = 1000)
    {
        var opening = Connection.OpenSessionAsync(options ?? new SessionOptions(), default).AsTask();
        var (channel, _) = NextOn<Begin>();
        Say(new Begin { RemoteChannel = channel, NextOutgoingId = 0, IncomingWindow = window, OutgoingWindow = 1000 }, channel);
        return await opening;
    }

    public ProtocolHeader NextHeader()
    {
        Listen();
        var header = ProtocolHeader.Read(_heard.ToArray());
        _heard.RemoveRange(0, ProtocolHeader.Size);
        return header;
    }

    /// <summary>The next frame, which must carry that.</summary>
    public T Next<T>() => NextOn<T>().Performative;

    public (ushort Channel, T Performative) NextOn<T>()
    {
        var (channel, performative, _) = NextFrame();
        return (channel, Assert.IsType<T>(performative));
    }

    public (Transfer Transfer, byte[] Payload) NextTransfer()
    {
        var (_, performative, payload) = NextFrame();
        return (Assert.IsType<Transfer>(performative), payload);
    }

    /// <summary>Whether the next frame is a sign of life and nothing else.</summary>
    public bool NextIsBeat() => NextBody().Body.Length == 0;

    public void NothingMore()
    {
        Listen();
        Assert.Empty(_heard);
    }

    public void Say(ProtocolHeader header) => Say(writer => header.Write(writer));

    public void Say(object performative, ushort channel = 0, byte[]? payload = null, FrameType type = FrameType.Amqp) => Say(writer =>
    {
        var start = Frame.Begin(writer, type, channel);
        AnyPerformative.Encode(performative, writer);
        writer.WriteRaw(payload);
        Frame.End(writer, start);
    });

    /// <summary>How things stand on a link, as the peer sees them.</summary>
    public void SayFlow(uint handle, uint count, uint credit, bool drain = false, bool echo = false, uint window = 1000, uint nextIncomingId = 0) => Say(new Flow
    {
        NextIncomingId = nextIncomingId,
        IncomingWindow = window,
        NextOutgoingId = 0,
        OutgoingWindow = 1000,
        Handle = handle,
        DeliveryCount = count,
        LinkCredit = credit,
        Drain = drain,
        Echo = echo,
    });

    /// <summary>How many bytes of what is said come at once, at most.</summary>
    public int Piece { get; set; } = int.MaxValue;

    public void SayBytes(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty && IsListened)
        {
            var room = Connection.Room();
            var count = Math.Min(Math.Min(room.Length, Piece), bytes.Length);
            bytes[..count].CopyTo(room);
            bytes = bytes[count..];
            IsListened = Connection.OnRead(count);
        }
    }

    /// <summary>The socket broke.</summary>
    public void Break(Exception? problem = null)
    {
        Connection.OnDisconnected(problem);
        Connection.OnEnded();
    }

    private void Say(Action<AmqpWriter> write)
    {
        using var writer = new AmqpWriter();
        write(writer);
        SayBytes(writer.Written);
    }

    private (ushort Channel, object Performative, byte[] Payload) NextFrame()
    {
        var (channel, body) = NextBody();
        var reader = new AmqpReader(body);
        return (channel, AnyPerformative.Decode(ref reader), reader.Rest.ToArray());
    }

    private (ushort Channel, byte[] Body) NextBody()
    {
        Listen();
        Assert.True(_heard.Count > 0, "Nothing was sent.");
        var header = FrameHeader.Read(_heard.ToArray(), uint.MaxValue);
        var body = _heard[header.BodyStart..header.Size].ToArray();
        _heard.RemoveRange(0, header.Size);
        return (header.Channel, body);
    }

    private void Listen()
    {
        while (Connection.TakeOutgoing() is { IsEmpty: false } bytes)
            _heard.AddRange(bytes);
    }
}
