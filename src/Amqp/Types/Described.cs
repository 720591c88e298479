namespace Holdfast.Amqp;

/// <summary>A value with a descriptor, mostly a ulong or a <see cref="Symbol"/>, that says what it means.</summary>
public sealed record Described(object Descriptor, object? Value);
