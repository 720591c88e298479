namespace Holdfast.Broker.ServiceBus;

/// <summary>How long a lock lasts: as it did when it was given, or less, as its renewals tell. Any thread may look, one at a time tells.</summary>
internal struct LockLength(TimeSpan atFirst)
{
    private long _now = atFirst.Ticks;

    public TimeSpan Now => new(Volatile.Read(ref _now));

    /// <summary>It was renewed when asked for at that timestamp of ours, and is ours until then by the broker's clock.</summary>
    public void Renewed(BrokerClock clock, long askedAt, DateTimeOffset until) =>
        Volatile.Write(ref _now, clock.AfterRenewal(atFirst, askedAt, until).Ticks);
}
