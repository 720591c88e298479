namespace Holdfast.Scheduling;

/// <summary>A turn worth telling of: whose it is, in which lane, on which thread, and for how long so far.</summary>
public readonly record struct TurnReport(string Name, Lane Lane, string Thread, TimeSpan Duration);
