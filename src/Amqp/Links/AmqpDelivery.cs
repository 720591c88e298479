namespace Holdfast.Amqp;

/// <summary>A message that has arrived, whole. Any thread.</summary>
public sealed class AmqpDelivery : IDue
{
    private volatile bool _isSettled;

    internal AmqpDelivery(AmqpReceiver receiver, uint id, byte[] tag, uint format) => (Receiver, Id, Tag, MessageFormat) = (receiver, id, tag, format);

    public AmqpReceiver Receiver { get; }

    /// <summary>The encoded message: an array of exactly its size, which belongs to whoever takes the delivery.</summary>
    public byte[] Payload { get; internal set; } = [];

    /// <summary>The peer's name for the delivery: at most 32 bytes.</summary>
    public byte[] Tag { get; }

    /// <summary>Its number in the session.</summary>
    public uint Id { get; }

    public uint MessageFormat { get; }

    /// <summary>Whether it came settled, or is settled by now: nothing needs to be told about it any more.</summary>
    public bool IsSettled
    {
        get => _isSettled;
        internal set => _isSettled = value;
    }

    /// <summary>Whether the peer was told what became of it: that was written, whether it arrives or not.</summary>
    public bool IsTold { get; internal set; }

    /// <summary>What the peer last said of its state.</summary>
    public DeliveryState? RemoteState { get; private set; }

    /// <summary>Who waits for the peer to settle it. Behind the gate.</summary>
    internal Settlement? Settlement { get; set; }

    /// <summary>Whether it is to be left as it is, whatever becomes of a settlement that is under way. Behind the gate.</summary>
    internal bool IsForgotten { get; set; }

    /// <summary>Behind the gate: the peer has said something about it.</summary>
    internal void OnState(DeliveryState? state, bool isSettled)
    {
        RemoteState = state ?? RemoteState;
        if (!isSettled)
            return;
        IsSettled = true;
        Settlement?.Settled(state);
        Settlement = null;
    }

    void IDue.Release() => Receiver.Deliver(this);
}
