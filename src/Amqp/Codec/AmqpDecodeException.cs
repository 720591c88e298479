namespace Holdfast.Amqp;

/// <summary>Bytes that are no AMQP, or more of it than our limits allow: what is wrong, and at which byte.</summary>
internal sealed class AmqpDecodeException(string problem, int position) : Exception($"{problem} (at byte {position})")
{
    /// <summary>Counted from the start of what was read: a frame's body, or a message.</summary>
    public int Position { get; } = position;
}
