using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>A delivery, with the message of Microsoft's that is its receipt.</summary>
internal sealed class SdkDelivery : Delivery
{
    private int _isBeingSettled;
    private long? _renewedAt;
    private LockLength _lock;

    public required Sdk.ServiceBusReceivedMessage Received { get; init; }

    public required EntityName Entity { get; init; }

    public override required TimeSpan LockDuration
    {
        get => (Session as SdkSession)?.LockDuration ?? _lock.Now;
        init => _lock = new(value);
    }

    // A session's lock is renewed while its message waits to be taken.
    public override long? LockedAt => (Session as SdkSession)?.LockedAt;

    // A delivery that was lost together with its session is not counted, but each taking of the session has a later end.
    public override long FencingToken => Session is SdkSession session ? FencingTokenSince(session.Term) : base.FencingToken;

    /// <summary>The copy that was scheduled in order to delay it, which must not be scheduled twice.</summary>
    public long? Copy { get; set; }

    /// <summary>The settlement that may have reached the broker without our hearing of it.</summary>
    public SettlementKind? Unanswered { get; set; }

    /// <summary>Whether it is settled, or its lock known to be lost.</summary>
    public bool IsOver { get; set; }

    /// <summary>Its lock was renewed by a request of that timestamp.</summary>
    public void Renewed(BrokerClock clock, long askedAt)
    {
        _lock.Renewed(clock, askedAt, Received.LockedUntil);
        _renewedAt = askedAt;
    }

    /// <summary>Whether its lock can't have ended by itself, so that where it is gone it was us who settled. A session's may have ended with its link.</summary>
    public bool IsLockedStill(TimeProvider time) => Session is null && time.GetElapsedTime(_renewedAt ?? ArrivedAt) < LockDuration;

    /// <summary>Of several that want to settle it, one may at a time, and none once it is over.</summary>
    public bool TryBegin() => !IsOver && Interlocked.Exchange(ref _isBeingSettled, 1) == 0;

    public void End() => Volatile.Write(ref _isBeingSettled, 0);
}
