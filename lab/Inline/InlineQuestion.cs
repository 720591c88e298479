namespace Holdfast.Lab.Inline;

/// <summary>How much is measured.</summary>
internal sealed record InlineQuestion(int Links, int DeepLinks, int Rounds, double FanMilliseconds);
