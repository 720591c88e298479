using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp.Links;

/// <summary>A link on which we receive, and its peer by hand.</summary>
internal sealed class ReceiverByHand
{
    /// <summary>The handle that the peer has for it.</summary>
    public const uint Theirs = 9;

    /// <summary>How large a message another link takes.</summary>
    public const int MostOfAnother = 10;

    private uint _nextDelivery;

    public required PeerByHand Peer { get; init; }

    public required AmqpSession Session { get; init; }

    public AmqpReceiver Receiver { get; private set; } = null!;

    public List<AmqpDelivery> Arrived { get; } = [];

    public List<AmqpException> Closed { get; } = [];

    /// <summary>How many had arrived when each burst ended.</summary>
    public List<int> Bursts { get; } = [];

    /// <summary>Called with each delivery.</summary>
    public Action<AmqpDelivery>? Also { get; set; }

    /// <summary>Called as each burst ends.</summary>
    public Action? AlsoAfterBurst { get; set; }

    public static async Task<ReceiverByHand> OpenAsync(uint credit = 0, bool renews = false, int maxMessageSize = 10_000, uint initialCount = 0, SessionOptions? session = null)
    {
        var (peer, begun) = await PeerByHand.BegunAsync(session);
        var link = new ReceiverByHand { Peer = peer, Session = begun };
        await link.AttachAsync(credit, renews, maxMessageSize, initialCount);
        return link;
    }

    /// <summary>Another link of the same session, with the peer's handle for it.</summary>
    public async Task<(AmqpReceiver Receiver, uint Handle)> OpenAnotherAsync()
    {
        const uint Handle = Theirs + 1;
        while (Peer.HasMore)
            Peer.Next<Flow>();
        var opening = Session.OpenReceiverAsync(new ReceiverOptions { Source = new Source { Address = "others" }, Credit = 5, MaxMessageSize = MostOfAnother, OnDelivery = _ => { } }, default).AsTask();
        var attach = Peer.Next<Attach>();
        Peer.Say(new Attach { Name = attach.Name, Handle = Handle, Role = Role.Sender, Source = attach.Source, Target = attach.Target, InitialDeliveryCount = 0 });
        return (await opening, Handle);
    }

    public void Transfer(int size, bool more = false, bool settled = false, bool aborted = false, uint? id = null, bool isFirst = true) => Peer.Say(
        new Transfer
        {
            Handle = Theirs,
            DeliveryId = isFirst ? id ?? _nextDelivery++ : id,
            DeliveryTag = isFirst ? [1, 2, 3] : null,
            MessageFormat = isFirst ? 5u : null,
            Settled = settled,
            More = more,
            Aborted = aborted,
        },
        payload: SenderByHand.Bytes(size));

    public void Say(uint first, uint? last, DeliveryState? state, bool settled = true) =>
        Peer.Say(new Disposition { Role = Role.Sender, First = first, Last = last, State = state, Settled = settled });

    public void SayFlow(uint count, uint credit, bool drain = false, bool echo = false) => Peer.SayFlow(Theirs, count, credit, drain, echo);

    private async Task AttachAsync(uint credit, bool renews, int maxMessageSize, uint initialCount)
    {
        var options = new ReceiverOptions
        {
            Name = "in",
            Source = new Source { Address = "orders" },
            SettleMode = ReceiverSettleMode.Second,
            Credit = credit,
            RenewsCredit = renews,
            MaxMessageSize = maxMessageSize,
            OnDelivery = OnDelivery,
            OnBurst = OnBurst,
            OnClosed = Closed.Add,
        };
        var opening = Session.OpenReceiverAsync(options, default).AsTask();
        var attach = Peer.Next<Attach>();
        Assert.Equal(("in", Role.Receiver, ReceiverSettleMode.Second), (attach.Name, attach.Role, attach.ReceiverSettleMode));
        Peer.Say(new Attach { Name = "in", Handle = Theirs, Role = Role.Sender, Source = attach.Source, Target = attach.Target, InitialDeliveryCount = initialCount });
        Receiver = await opening;
    }

    private void OnBurst()
    {
        Bursts.Add(Arrived.Count);
        AlsoAfterBurst?.Invoke();
    }

    private void OnDelivery(AmqpDelivery delivery)
    {
        Arrived.Add(delivery);
        Also?.Invoke(delivery);
    }
}
