namespace Holdfast.Amqp;

/// <summary>Waits for the peer to settle what we have told it the outcome of. Behind the gate.</summary>
internal sealed class Settlement(Gate gate, AmqpDelivery delivery, DeliveryState outcome) : Pending<DeliveryState>(gate)
{
    /// <summary>The peer has settled; where it names no state, it agrees with ours.</summary>
    public void Settled(DeliveryState? state) => Set(state ?? outcome);

    // It may be told again, and the answer to the first is then the answer to both.
    protected override void OnCalledOff()
    {
        delivery.Settlement = null;
        if (delivery.IsForgotten)
            delivery.Receiver.Drop(delivery);
    }
}
