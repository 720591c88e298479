namespace Holdfast.Lab.Leases;

/// <summary>What became of a run's messages. Times in seconds, so that it can be handed from process to process.</summary>
/// <param name="Total">Until the last message's life ended.</param>
/// <param name="Mean">How long a message that was not lost took; not a number where all were.</param>
/// <param name="Lost">How many leases were lost.</param>
/// <param name="MostActive">The most messages in hand at once.</param>
/// <param name="Threads">The most threads that ran their turns.</param>
internal sealed record Outcome(double Total, double? Mean, int Lost, int MostActive, int Threads)
{
    public Span[] Spans { get; init; } = [];

    public static Outcome Of(IReadOnlyCollection<Life> lives, int threads)
    {
        var kept = lives.Where(life => life.Lost is null).ToArray();
        return new(
            lives.Max(life => life.Ended).TotalSeconds,
            kept.Length > 0 ? kept.Average(life => life.Length.TotalSeconds) : null,
            lives.Count - kept.Length,
            MostAtOnce(lives),
            threads)
        {
            Spans = [.. lives.OrderBy(life => life.Received).Select(life => new Span(life.Received.TotalSeconds, life.Ended.TotalSeconds, life.Lost?.TotalSeconds))],
        };
    }

    // Ends before beginnings of the same instant.
    private static int MostAtOnce(IEnumerable<Life> lives)
    {
        var (now, most) = (0, 0);
        foreach (var (_, step) in lives.SelectMany(life => new[] { (life.Received, 1), (life.Ended, -1) }).Order())
            most = Math.Max(most, now += step);
        return most;
    }
}

/// <summary>From when to when a message was in hand, and when its lease was lost, if it was. In seconds.</summary>
internal readonly record struct Span(double From, double To, double? Lost);
