namespace Holdfast.Scheduling;

/// <summary>How long no thread of the process ran, and whether a garbage collection was why.</summary>
public readonly record struct Standstill(TimeSpan Duration, bool IsCollection);
