using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Links;

/// <summary>A link on which we send, and its peer by hand.</summary>
internal sealed record SenderByHand(PeerByHand Peer, AmqpSession Session, AmqpSender Sender, List<AmqpException> Closed)
{
    /// <summary>The handle that the peer has for it.</summary>
    public const uint Theirs = 7;

    public static async Task<SenderByHand> OpenAsync(uint window = 1000, uint maxFrameSize = uint.MaxValue, ulong? maxMessageSize = null, SenderSettleMode mode = SenderSettleMode.Mixed)
    {
        var (peer, session) = await PeerByHand.BegunAsync(window: window, open: new Open { ContainerId = "peer", MaxFrameSize = maxFrameSize });
        var closed = new List<AmqpException>();
        var options = new SenderOptions { Name = "out", Target = new Target { Address = "orders" }, SettleMode = mode, OnClosed = closed.Add };
        var opening = session.OpenSenderAsync(options, default).AsTask();
        var attach = peer.Next<Attach>();
        Assert.Equal(("out", Role.Sender, 0u), (attach.Name, attach.Role, attach.InitialDeliveryCount));
        peer.Say(new Attach { Name = "out", Handle = Theirs, Role = Role.Receiver, Source = attach.Source, Target = attach.Target, MaxMessageSize = maxMessageSize });
        return new(peer, session, await opening, closed);
    }

    public Task<DeliveryState> SendAsync(int size, bool settled = false, CancellationToken cancel = default) =>
        Sender.SendAsync(Bytes(size), 0, settled, cancel).AsTask();

    public static byte[] Bytes(int size) => [.. Enumerable.Range(0, size).Select(n => (byte)n)];

    /// <summary>The peer gives credit, as it sees things.</summary>
    public void GiveCredit(uint credit, uint count = 0, uint window = 1000, uint nextIncomingId = 0, bool drain = false, bool echo = false) =>
        Peer.SayFlow(Theirs, count, credit, drain, echo, window, nextIncomingId);

    public void GiveWindow(uint window, uint nextIncomingId) =>
        Peer.Say(new Flow { NextIncomingId = nextIncomingId, IncomingWindow = window, NextOutgoingId = 0, OutgoingWindow = 1000 });

    public void Say(uint first, uint? last, DeliveryState? state, bool settled = true) =>
        Peer.Say(new Disposition { Role = Role.Receiver, First = first, Last = last, State = state, Settled = settled });
}
