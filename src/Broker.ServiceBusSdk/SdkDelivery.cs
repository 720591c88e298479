using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>A delivery, with the message of Microsoft's that is its receipt.</summary>
internal sealed class SdkDelivery : LockedDelivery
{
    private int _isBeingSettled;

    public required Sdk.ServiceBusReceivedMessage Received { get; init; }

    protected override DateTimeOffset? CountsSince => SdkLetter.TimeOf(Received, DeadLetterProperties.PutAsideAt);

    /// <summary>The settlement that may have reached the broker without our hearing of it.</summary>
    public SettlementKind? Unanswered { get; set; }

    /// <summary>Whether it is settled, or its lock known to be lost.</summary>
    public bool IsOver { get; set; }

    /// <summary>Of several that want to settle it, one may at a time, and none once it is over.</summary>
    public bool TryBegin() => !IsOver && Interlocked.Exchange(ref _isBeingSettled, 1) == 0;

    public void End() => Volatile.Write(ref _isBeingSettled, 0);
}
