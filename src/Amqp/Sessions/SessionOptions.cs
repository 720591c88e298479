namespace Holdfast.Amqp;

/// <summary>What a session allows the peer.</summary>
public sealed class SessionOptions
{
    /// <summary>How many transfer frames the peer may send before it must hear from us. Renewed at half.</summary>
    public uint IncomingWindow { get; init; } = 2048;

    /// <summary>How many links there may be, less one.</summary>
    public uint HandleMax { get; init; } = 255;

    /// <summary>Called once, unless we ended the session ourselves; after the same was told to its links. On the connection's reader thread.</summary>
    public Action<AmqpException>? OnClosed { get; init; }
}
