namespace Holdfast.Consumer;

/// <summary>The answer to one health question, with the reason for it.</summary>
public sealed record HealthVerdict(bool Healthy, string Reason);
