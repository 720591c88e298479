namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How long a lock that the broker dates by its own clock still lasts, and what that clock shows. Neither clock is believed alone: of what ours shows, and
/// what the broker's is known to have shown, the later one counts, so that trust is too short rather than too long. Any thread.
/// </summary>
internal sealed class BrokerClock(TimeProvider time)
{
    // Where our clock is ahead by a whole lock, and nothing tells us: renewed twice a second, a lease lives all the same.
    private static readonly TimeSpan s_least = TimeSpan.FromSeconds(1);

    // Our clock may be fast, by 30 millionths or more, and what was seen long ago would be ahead by seconds after a day. So it is reckoned to be as fast as such
    // clocks ever are: what is seen later counts for more, unless it was enqueued long ago, as all are where a backlog is worked off.
    private const double Fastest = 100e-6;

    // For locks. Nothing takes it back, not even a lock that has ended by this reckoning before it came, though that clock must have been set back: whatever
    // replaced it may be less than what the clock shows, for ours may be behind and the next messages old, and leases would be trusted when they are lost.
    // Kept, it can only have them trusted too little.
    private long _ahead = long.MinValue;

    // For times to come, where too early is no worse than too late: so it is as true as can be.
    private readonly RecentHighest _recently = new(time);

    /// <summary>What the broker's clock shows, as far as it was heard of lately.</summary>
    public DateTimeOffset Now
    {
        get
        {
            var at = time.GetTimestamp();
            var (ours, theirs) = (time.GetUtcNow().UtcTicks, _recently.Of(at) is { } ahead ? Monotonic(at) + ahead : 0);
            return new(Math.Min(Math.Max(ours, theirs), DateTimeOffset.MaxValue.Ticks), TimeSpan.Zero);
        }
    }

    /// <summary>What it will show after that wait, or the calendar's end.</summary>
    public DateTimeOffset After(TimeSpan wait) => Now is var now && wait < DateTimeOffset.MaxValue - now ? now + wait : DateTimeOffset.MaxValue;

    /// <summary>The broker's clock showed <paramref name="shown"/> at that timestamp of ours, or before.</summary>
    public void Saw(DateTimeOffset shown, long at)
    {
        var ahead = shown.UtcTicks - Monotonic(at);
        _recently.Add(ahead, at);
        for (var known = Volatile.Read(ref _ahead); ahead > known;)
        {
            var before = Interlocked.CompareExchange(ref _ahead, ahead, known);
            if (before == known)
                return;
            known = before;
        }
    }

    /// <summary>How long it is from that timestamp of ours, which is of just now, until then by the broker's clock.</summary>
    public TimeSpan Until(DateTimeOffset then, long at)
    {
        // It was given by that clock, which therefore shows less: what says otherwise was seen before somebody set it back.
        _recently.Drop(then.UtcTicks - Monotonic(at));
        var left = new TimeSpan(then.UtcTicks - Shows(at));
        return left < s_least ? s_least : left;
    }

    /// <summary>
    /// How long a lock lasts that was renewed when asked for at that timestamp of ours, and has just been said to be ours until then: it was given between
    /// the two. Never longer than at first, for a clock that was set may have said so; shorter, where that does not allow for what it lasted then.
    /// </summary>
    public TimeSpan AfterRenewal(TimeSpan atFirst, long askedAt, DateTimeOffset until)
    {
        var now = time.GetTimestamp();
        var most = Until(until, now) + time.GetElapsedTime(askedAt, now);
        return atFirst < most ? atFirst : most;
    }

    private long Shows(long at)
    {
        var (shows, ahead) = (time.GetUtcNow().UtcTicks, Volatile.Read(ref _ahead));
        return ahead == long.MinValue ? shows : Math.Max(shows, Monotonic(at) + ahead);
    }

    private long Monotonic(long at) => (long)(time.GetElapsedTime(0, at).Ticks * (1 - Fastest));
}
