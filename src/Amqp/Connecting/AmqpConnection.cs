namespace Holdfast.Amqp;

/// <summary>
/// A connection, with two threads of its own and no need for any other. Any thread may call it; no call waits for the network.
/// What completes, completes on the connection's reader thread, and so does everything up to its next wait: keep that short, and never block it.
/// </summary>
public sealed class AmqpConnection : IAsyncDisposable
{
    /// <summary>What the peer said in its open frame.</summary>
    public Open Remote => throw new NotImplementedException();

    /// <summary>Why it ended; null while it lives.</summary>
    public AmqpException? Failure => throw new NotImplementedException();

    /// <summary>Connects, with TLS, WebSocket and SASL as the options say, and opens.</summary>
    /// <exception cref="AmqpException">The peer can't be reached, refuses us, or speaks something else.</exception>
    public static ValueTask<AmqpConnection> OpenAsync(AmqpConnectionOptions options, CancellationToken cancel) => throw new NotImplementedException();

    /// <exception cref="AmqpException">The connection has ended, or the peer has no room for another session.</exception>
    public ValueTask<AmqpSession> OpenSessionAsync(SessionOptions options, CancellationToken cancel) => throw new NotImplementedException();

    /// <summary>Tells the peer, waits for its answer as long as the options allow, and returns when the socket is closed. Never throws but for the token.</summary>
    public ValueTask CloseAsync(CancellationToken cancel) => throw new NotImplementedException();

    public ValueTask DisposeAsync() => throw new NotImplementedException();
}
