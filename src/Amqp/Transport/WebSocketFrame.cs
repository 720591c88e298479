namespace Holdfast.Amqp;

/// <summary>The kinds of WebSocket frames, by their opcodes.</summary>
internal enum WebSocketFrame : byte
{
    Continuation = 0x0,
    Text = 0x1,
    Binary = 0x2,
    Close = 0x8,
    Ping = 0x9,
    Pong = 0xa,
}
