namespace Holdfast.Lab.Inline;

/// <summary>What was measured: chains, and fans of so many continuations.</summary>
internal sealed record InlineFinding(ChainFinding[] Chains, FanFinding[] Fans, int Width);

/// <summary>A kind of chain: nanoseconds a link, round by round, queued and in place; how deep the stack grew, and how deep in a much longer one in place.</summary>
internal sealed record ChainFinding(string Name, double[] Queued, double[] InPlace, double QueuedKilobytes, double InPlaceKilobytes, double DeepKilobytes)
{
    public Reading Gain => Reading.Ratio(Queued, InPlace);
}

/// <summary>Several continuations of one task: how many times as long as one alone they took, round by round.</summary>
internal sealed record FanFinding(string Name, double[] Times);
