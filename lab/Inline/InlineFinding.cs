namespace Holdfast.Lab.Inline;

/// <summary>How much is measured.</summary>
internal sealed record InlineQuestion(int Links, int DeepLinks, int Rounds, double FanMilliseconds);

/// <summary>What was measured: chains, and fans of so many continuations.</summary>
internal sealed record InlineFinding(ChainFinding[] Chains, FanFinding[] Fans, int Width);

/// <summary>A kind of chain: nanoseconds a link, round by round, each link queued and each in place, how deep the stack grew, and whether a much longer one came to its end.</summary>
internal sealed record ChainFinding(string Name, double[] Queued, double[] InPlace, double QueuedKilobytes, double InPlaceKilobytes, double DeepKilobytes);

/// <summary>Several continuations of one task: how many times as long as one alone they took, round by round.</summary>
internal sealed record FanFinding(string Name, double[] Times);
