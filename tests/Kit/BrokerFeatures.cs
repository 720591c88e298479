namespace Holdfast.Tests.Kit;

/// <summary>What a broker can do beyond what every broker must.</summary>
[Flags]
public enum BrokerFeatures
{
    None = 0,

    /// <summary>A lock has its own time, and a renewal gives it more.</summary>
    TimedLocks = 1,

    /// <summary>The more urgent message is delivered first.</summary>
    Priorities = 2,

    /// <summary>Messages of one priority are delivered in the order of their sending.</summary>
    Order = 4,

    /// <summary>A message can be sent for later.</summary>
    DelayedSends = 8,

    /// <summary>The delivery count is exact, however the message was given back.</summary>
    DeliveryCounts = 16,

    All = TimedLocks | Priorities | Order | DelayedSends | DeliveryCounts,
}
