namespace Holdfast.Amqp;

/// <summary>A link on which we receive. Any thread.</summary>
public sealed class AmqpReceiver
{
    /// <summary>What the peer answered to our attach frame.</summary>
    public Attach Remote => throw new NotImplementedException();

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => throw new NotImplementedException();

    /// <summary>From now on the peer may send so many messages. What it sent before it heard of that comes all the same.</summary>
    public void SetCredit(uint credit) => throw new NotImplementedException();

    /// <summary>Takes all credit back. Completes when nothing more can come; credit that is set meanwhile is given after that.</summary>
    public ValueTask DrainAsync(CancellationToken cancel) => throw new NotImplementedException();

    /// <summary>
    /// Tells the peer what became of a delivery, and completes with what the peer made of it: for the second settle mode.
    /// Called off, the peer has been told all the same.
    /// </summary>
    /// <exception cref="AmqpException">The link has ended, or the peer had settled the delivery already.</exception>
    public ValueTask<DeliveryState> SettleAsync(AmqpDelivery delivery, DeliveryState state, CancellationToken cancel) => throw new NotImplementedException();

    /// <summary>Tells the peer what became of a delivery, and forgets it.</summary>
    /// <exception cref="AmqpException">The link has ended.</exception>
    public void Settle(AmqpDelivery delivery, DeliveryState state) => throw new NotImplementedException();

    /// <summary>Detaches the link for good, and waits for the peer's answer.</summary>
    public ValueTask CloseAsync(CancellationToken cancel) => throw new NotImplementedException();
}
