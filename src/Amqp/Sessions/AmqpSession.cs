namespace Holdfast.Amqp;

/// <summary>A session: links that share a window and an order. Any thread.</summary>
public sealed class AmqpSession
{
    public AmqpConnection Connection => throw new NotImplementedException();

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => throw new NotImplementedException();

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpSender> OpenSenderAsync(SenderOptions options, CancellationToken cancel) => throw new NotImplementedException();

    /// <exception cref="AmqpException">The peer refused the link, or session or connection have ended.</exception>
    public ValueTask<AmqpReceiver> OpenReceiverAsync(ReceiverOptions options, CancellationToken cancel) => throw new NotImplementedException();

    /// <summary>Ends the session and all its links, and waits for the peer's answer.</summary>
    public ValueTask CloseAsync(CancellationToken cancel) => throw new NotImplementedException();
}
