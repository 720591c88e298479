namespace Holdfast.Tests.Worlds;

/// <summary>A store in one worker's place that remembers what was completed there, whoever crashes.</summary>
/// <param name="Longest">The longest that it takes to answer.</param>
/// <param name="Silent">How many of a thousand questions it never answers.</param>
/// <param name="Failing">How many of a thousand it answers with a failure.</param>
internal sealed record StorePlan(TimeSpan Longest, int Silent, int Failing)
{
    public bool IsSound => Silent + Failing == 0;
}
