namespace Holdfast.Amqp;

/// <summary>A value that can't be read, or goes deeper or further than our limits: it can be sent on as it came.</summary>
/// <param name="Encoded">The value, as it came: a slice of the payload.</param>
public sealed record UnreadValue(ReadOnlyMemory<byte> Encoded);
