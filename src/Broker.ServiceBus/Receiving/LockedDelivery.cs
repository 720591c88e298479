namespace Holdfast.Broker.ServiceBus;

/// <summary>A delivery under a lock of the broker's, its own or its session's, by whichever client it came.</summary>
internal abstract class LockedDelivery : Delivery
{
    private LockLength _lock;
    private long? _renewedAt;
    private string? _notDelayed;

    public required EntityName Entity { get; init; }

    public required long SequenceNumber { get; init; }

    /// <summary>Which delivery it is to us, where it had died before it came; else null.</summary>
    public int? TriesHere { get; init; }

    public override int Tries => TriesHere ?? DeliveryCount;

    public override string? NotDelayed => _notDelayed;

    // A session's lock is renewed while its message waits to be taken.
    public override long? LockedAt => SessionLock?.LockedAt;

    public override required TimeSpan LockDuration
    {
        get => SessionLock?.LockDuration ?? _lock.Now;
        init => _lock = new(value);
    }

    // A delivery that was lost together with its session is not counted, but each taking of the session has a later end. That counts for all it brings.
    public override long FencingToken => FencingTokenSince(SessionLock?.Term ?? LatestBeginning.ToUnixTimeMilliseconds());

    /// <summary>The copy that was scheduled in order to delay it, which must not be scheduled twice; until it is settled which of the two stays.</summary>
    public long? Copy { get; set; }

    /// <summary>When a worker put it aside, if one did: from then on its deliveries count anew.</summary>
    protected abstract DateTimeOffset? CountsSince { get; }

    private ISessionLock? SessionLock => (ISessionLock?)Session;

    private DateTimeOffset LatestBeginning => CountsSince is { } death && death > EnqueuedAt ? death : EnqueuedAt;

    /// <summary>The broker would not schedule its copy.</summary>
    public void NoteNotDelayed(string why) => _notDelayed = why;

    /// <summary>Its lock was renewed by a request of that timestamp, and is ours until then by the broker's clock.</summary>
    public void Renewed(BrokerClock clock, long askedAt, DateTimeOffset until)
    {
        _lock.Renewed(clock, askedAt, until);
        _renewedAt = askedAt;
    }

    /// <summary>Whether its lock can't have ended by itself, so that where it is gone it was us who settled. A session's may have ended with its link.</summary>
    public bool IsLockedStill(TimeProvider time) => Session is null && time.GetElapsedTime(_renewedAt ?? ArrivedAt) < LockDuration;
}
