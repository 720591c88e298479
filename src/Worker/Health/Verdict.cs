namespace Holdfast.Worker.Health;

/// <summary>The answer to one health question, with the reason for it.</summary>
internal sealed record Verdict(bool Healthy, string Reason);
