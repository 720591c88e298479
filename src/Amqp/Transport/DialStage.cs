namespace Holdfast.Amqp;

/// <summary>What the stream to the peer still waits for.</summary>
internal enum DialStage
{
    /// <summary>A name server, which says where the peer is.</summary>
    Name,

    /// <summary>Anything at that address that answers.</summary>
    Connection,

    /// <summary>The peer's part of TLS.</summary>
    Tls,

    /// <summary>The peer's answer to who asks for a WebSocket.</summary>
    WebSocket,
}
