namespace Holdfast.Lab.Throttle;

/// <summary>What one way of throttling showed, round by round.</summary>
internal sealed record ThrottleRow(ThrottleQuestion Question, IReadOnlyList<ThrottleFinding> Rounds)
{
    public Reading Of(Func<ThrottleFinding, double> value) => Reading.Median(Rounds.Select(value));
}
