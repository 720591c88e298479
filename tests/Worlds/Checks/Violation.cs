namespace Holdfast.Tests.Worlds;

/// <summary>A rule that a world has broken, and when.</summary>
internal sealed record Violation(string Rule, TimeSpan At, string What)
{
    public override string ToString() => $"{Rule}, at {At.TotalSeconds:0.0000}: {What}";
}
