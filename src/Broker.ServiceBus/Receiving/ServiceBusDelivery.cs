using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A delivery and its receipts: the link that it came by, which is good while that lives, and the lock's token, which is good while the lock does.</summary>
internal sealed class ServiceBusDelivery : Delivery
{
    private const int Held = 0;
    private const int Settling = 1;
    private const int Ended = 2;

    private int _state;
    private LockLength _lock;
    private long? _renewedAt;
    private string? _notDelayed;

    public required EntityName Entity { get; init; }

    /// <summary>By which link it came; null where it came by none.</summary>
    public Arrival? Arrival { get; init; }

    public required Guid LockToken { get; init; }

    public required long SequenceNumber { get; init; }

    /// <summary>The message as it came, for when it is sent on.</summary>
    public required AmqpMessage Original { get; init; }

    /// <summary>Which delivery it is to us, where it had died before it came; else null.</summary>
    public int? TriesHere { get; init; }

    public override int Tries => TriesHere ?? DeliveryCount;

    /// <summary>The session that it belongs to, where the receiver has sessions.</summary>
    public HeldSession? HeldSession => (HeldSession?)Session;

    public override string? Unreadable => Letter.Unreadable(Original);

    public override string? NotDelayed => _notDelayed;

    // A delivery that was lost together with its session is not counted, but each taking of the session has a later end. That counts for all it brings.
    public override long FencingToken => HeldSession is { } session ? FencingTokenSince(session.Term) : FencingTokenSince(LatestBeginning.ToUnixTimeMilliseconds());

    // A session's lock is renewed while its message waits to be taken.
    public override long? LockedAt => HeldSession?.LockedAt;

    public override Renewal? Fate => HeldSession?.Fate;

    public override required TimeSpan LockDuration
    {
        get => HeldSession?.LockDuration ?? _lock.Now;
        init => _lock = new(value);
    }

    /// <summary>Whether the broker may have done what an earlier settlement told it: then only the lock's token can tell.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>The settlement that may have reached the broker without our hearing of it.</summary>
    public DeliveryState? Unanswered { get; private set; }

    /// <summary>The copy that was scheduled in order to delay it, which must not be scheduled twice; until it is settled which of the two stays.</summary>
    public long? Copy { get; set; }

    public bool IsOver => Volatile.Read(ref _state) == Ended;

    // Whoever puts a message aside begins to count anew, and notes when.
    private DateTimeOffset LatestBeginning => Letter.CountsSince(Original) is { } death && death > EnqueuedAt ? death : EnqueuedAt;

    /// <summary>A settlement was on its way to the broker, and no answer has come.</summary>
    public void NoteUnanswered(DeliveryState outcome) => (IsInDoubt, Unanswered) = (true, outcome);

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

    /// <summary>Of several that want to settle it, one may at a time, and none once it is done.</summary>
    public bool TryBegin() => Interlocked.CompareExchange(ref _state, Settling, Held) == Held;

    public void End() => Volatile.Write(ref _state, Ended);

    /// <summary>The settlement failed, so another one may be tried.</summary>
    public void HoldOn() => Volatile.Write(ref _state, Held);
}
