using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A delivery and its receipts: the link that it came by, which is good while that lives, and the lock's token, which is good while the lock does.</summary>
internal sealed class ServiceBusDelivery : LockedDelivery
{
    private const int Held = 0;
    private const int Settling = 1;
    private const int Ended = 2;

    private int _state;

    /// <summary>By which link it came; null where it came by none.</summary>
    public Arrival? Arrival { get; init; }

    public required Guid LockToken { get; init; }

    /// <summary>The message as it came, for when it is sent on.</summary>
    public required AmqpMessage Original { get; init; }

    /// <summary>The session that it belongs to, where the receiver has sessions.</summary>
    public HeldSession? HeldSession => (HeldSession?)Session;

    public override string? Unreadable => Letter.Unreadable(Original);

    public override Renewal? Fate => HeldSession?.Fate;

    /// <summary>Whether the broker may have done what an earlier settlement told it: then only the lock's token can tell.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>The settlement that may have reached the broker without our hearing of it.</summary>
    public DeliveryState? Unanswered { get; private set; }

    public bool IsOver => Volatile.Read(ref _state) == Ended;

    protected override DateTimeOffset? CountsSince => Letter.CountsSince(Original);

    /// <summary>A settlement was on its way to the broker, and no answer has come.</summary>
    public void NoteUnanswered(DeliveryState outcome) => (IsInDoubt, Unanswered) = (true, outcome);

    /// <summary>Of several that want to settle it, one may at a time, and none once it is done.</summary>
    public bool TryBegin() => Interlocked.CompareExchange(ref _state, Settling, Held) == Held;

    public void End() => Volatile.Write(ref _state, Ended);

    /// <summary>The settlement failed, so another one may be tried.</summary>
    public void HoldOn() => Volatile.Write(ref _state, Held);
}
