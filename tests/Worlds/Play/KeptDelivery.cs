using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>A delivery that stays its worker's until its settlement has reached the broker, and says so.</summary>
internal sealed class KeptDelivery : Delivery
{
    private bool _isSettled;

    [SetsRequiredMembers]
    private KeptDelivery(Delivery own)
    {
        Own = own;
        Message = own.Message;
        DeliveryCount = own.DeliveryCount;
        EnqueuedAt = own.EnqueuedAt;
        ArrivedAt = own.ArrivedAt;
        LockDuration = own.LockDuration;
        HoldLimit = own.HoldLimit;
    }

    /// <summary>As the broker knows it.</summary>
    public Delivery Own { get; }

    public override Renewal? Fate => Own.Fate;

    public override bool IsHeldMeanwhile => !_isSettled;

    public static void Wrap(Span<Delivery> deliveries)
    {
        foreach (ref var delivery in deliveries)
            delivery = new KeptDelivery(delivery);
    }

    /// <summary>A delivery as the broker knows it.</summary>
    public static Delivery OwnOf(Delivery delivery) => delivery is KeptDelivery kept ? kept.Own : delivery;

    /// <summary>The broker has taken its settlement.</summary>
    public static void Settled(Delivery delivery)
    {
        if (delivery is KeptDelivery kept)
            kept._isSettled = true;
    }
}
