namespace Holdfast.Bench;

/// <summary>How late renewals were sent, and how late answered, in milliseconds after they were due.</summary>
internal sealed record Lateness(Samples Sent, Samples Answered, Samples RoundTrip, int Renewed, long Missed)
{
    public static Lateness Of(IReadOnlyCollection<RenewalLog> logs, TimeSpan end, Samples roundTrip, long missed) => new(
        new Samples(logs.SelectMany(log => log.Sent(end))),
        new Samples(logs.SelectMany(log => log.Answered(end))),
        roundTrip,
        logs.Count(log => log.Renewals > 0),
        missed);
}

/// <summary>What is renewed: how many leases, and how often.</summary>
internal static class Leases
{
    public const int Count = 64;

    public static TimeSpan Every { get; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Evenly spread, so that they do not come due together: when each is due first, counted from the start.</summary>
    public static TimeSpan FirstDue(int number) => Every * (number + 1) / Count;
}
