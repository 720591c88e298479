namespace Holdfast.Lab.Throttle;

/// <summary>In seconds: when the pool first answered, how long its answers took from then on at the median and at the most, and when all was done.</summary>
internal sealed record ThrottleFinding(double First, double Median, double Most, double Finish);
