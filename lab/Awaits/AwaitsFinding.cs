namespace Holdfast.Lab.Awaits;

/// <summary>How often each method is run.</summary>
internal sealed record AwaitsQuestion(int WarmUps, int Rounds);

/// <summary>How long one method took, on a lane or not, round by round.</summary>
internal sealed record AwaitsFinding(string Method, bool OnLane, double[] Milliseconds);
