namespace Holdfast.Broker.ServiceBus;

/// <summary>When a token is replaced: well before it expires, and while the old one lasts, tried again. Nothing but arithmetic.</summary>
internal static class TokenTerms
{
    private const double RenewAfter = 0.8;
    private const int PartOfWhatIsLeft = 4;

    private static readonly TimeSpan s_soonest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(1);
    private static readonly TimeSpan s_timeToReplace = TimeSpan.FromDays(1);

    /// <summary>How long to wait before the next token is asked for.</summary>
    public static TimeSpan RenewIn(DateTimeOffset now, DateTimeOffset expires) => Clamp((expires - now) * RenewAfter, s_longestWait);

    /// <summary>How long to wait after an attempt that failed: less and less until the old one expires, and from then on more and more.</summary>
    public static TimeSpan RetryIn(DateTimeOffset now, DateTimeOffset expires) => Clamp((expires - now).Duration() / PartOfWhatIsLeft, s_longestPause);

    /// <summary>How long until a person must hear that the last one ends; nothing where that is now.</summary>
    public static TimeSpan WarnIn(DateTimeOffset now, DateTimeOffset endsAt) => endsAt - now > s_timeToReplace ? endsAt - now - s_timeToReplace : TimeSpan.Zero;

    private static TimeSpan Clamp(TimeSpan wait, TimeSpan most) => wait < s_soonest ? s_soonest : wait > most ? most : wait;
}
