namespace Holdfast.Amqp;

/// <summary>An array of ubyte, for a byte[] is a binary value.</summary>
public sealed record UByteArray(ReadOnlyMemory<byte> Items);

/// <summary>An array of nothing but nulls, which only its length tells from another.</summary>
public sealed record NullArray(int Length);

/// <summary>An array of arrays, for an object[] is a list.</summary>
public sealed record NestedArray(IReadOnlyList<object> Items);
