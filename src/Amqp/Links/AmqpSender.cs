namespace Holdfast.Amqp;

/// <summary>A link on which we send. Any thread.</summary>
public sealed class AmqpSender
{
    /// <summary>What the peer answered to our attach frame.</summary>
    public Attach Remote => throw new NotImplementedException();

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => throw new NotImplementedException();

    /// <summary>The largest message that the peer takes, in bytes; null where it has not said.</summary>
    public ulong? MaxMessageSize => throw new NotImplementedException();

    /// <summary>
    /// Sends one encoded message, in order, once the peer's credit and window allow it. Completes with what became of it; a settled one completes when it is on its way.
    /// The payload must stay as it is until then. Called off before it began to leave, nothing is sent; after that, nobody knows what becomes of it.
    /// </summary>
    /// <exception cref="AmqpException">The link has ended, or does so before the outcome is known.</exception>
    public ValueTask<DeliveryState> SendAsync(ReadOnlyMemory<byte> payload, uint messageFormat, bool settled, CancellationToken cancel) => throw new NotImplementedException();

    /// <summary>Detaches the link for good, and waits for the peer's answer.</summary>
    public ValueTask CloseAsync(CancellationToken cancel) => throw new NotImplementedException();
}
