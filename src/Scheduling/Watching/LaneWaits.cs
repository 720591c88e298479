namespace Holdfast.Scheduling;

/// <summary>How many waits in a lane were measured so far, and how long they were in all.</summary>
public readonly record struct LaneWaits(long Count, TimeSpan Total);
