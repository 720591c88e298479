namespace Holdfast.Consumer;

/// <summary>
/// How long to wait before a settlement is sent once more: longer each time, for a broker that is too busy gets no better by being asked; but so that it is
/// asked several times while the lease lasts. Decides only.
/// </summary>
internal struct SettlingPace
{
    private const double Growth = 1.5;
    private const double Jitter = 0.25;
    private const double PartOfLease = 0.25;

    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(200);

    // What a busy broker asks for as a rule. With long locks a quarter of the lease may be longer than a stop has time for.
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);

    private TimeSpan _wait;

    /// <param name="asked">For how long the broker asks to be left in peace, if it does.</param>
    /// <param name="left">How long the lease is trusted still.</param>
    /// <param name="random">From 0 to 1, for what is held together is mostly refused together.</param>
    public TimeSpan Next(TimeSpan? asked, TimeSpan left, double random)
    {
        _wait = Times.Max(_wait * Growth, s_first);
        var wait = Times.Min(Times.Max(_wait, asked ?? TimeSpan.Zero), Times.Min(s_longest, left * PartOfLease));
        return Times.Max(wait, s_first) * (1 + (Jitter * random));
    }
}
