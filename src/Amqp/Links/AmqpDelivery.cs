namespace Holdfast.Amqp;

/// <summary>A message that has arrived, whole. Any thread.</summary>
public sealed class AmqpDelivery
{
    public AmqpReceiver Receiver => throw new NotImplementedException();

    /// <summary>The encoded message: an array of exactly its size, which belongs to whoever takes the delivery.</summary>
    public byte[] Payload => throw new NotImplementedException();

    /// <summary>The peer's name for the delivery: at most 32 bytes.</summary>
    public ReadOnlySpan<byte> Tag => throw new NotImplementedException();

    /// <summary>Its number in the session.</summary>
    public uint Id => throw new NotImplementedException();

    public uint MessageFormat => throw new NotImplementedException();

    /// <summary>Whether it came settled, or is settled by now: nothing needs to be told about it any more.</summary>
    public bool IsSettled => throw new NotImplementedException();

    /// <summary>What the peer last said of its state.</summary>
    public DeliveryState? RemoteState => throw new NotImplementedException();
}
