namespace Holdfast.Amqp;

/// <summary>AMQP over a WebSocket, for networks that let nothing but HTTP pass.</summary>
public sealed class AmqpWebSocket
{
    /// <summary>The path and query that is asked for.</summary>
    public string Path { get; init; } = "/";

    public string Subprotocol { get; init; } = "amqp";
}
