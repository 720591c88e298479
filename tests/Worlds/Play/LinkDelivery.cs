using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>A delivery with what a broker's client knows of it beside the broker.</summary>
internal sealed class LinkDelivery : Delivery
{
    private bool _isSettled;

    [SetsRequiredMembers]
    public LinkDelivery(Delivery own)
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

    /// <summary>Whether it stays its worker's until its settlement has reached the broker.</summary>
    public required bool IsKept { get; init; }

    /// <summary>Whether nobody can read it.</summary>
    public required bool IsGarbled { get; init; }

    public override string? Unreadable => IsGarbled ? "It is garbled." : null;

    public override Renewal? Fate => Own.Fate;

    public override bool IsHeldMeanwhile => IsKept && !_isSettled;

    /// <summary>A delivery as the broker knows it.</summary>
    public static Delivery OwnOf(Delivery delivery) => delivery is LinkDelivery known ? known.Own : delivery;

    /// <summary>The broker has taken its settlement.</summary>
    public static void Settled(Delivery delivery)
    {
        if (delivery is LinkDelivery known)
            known._isSettled = true;
    }
}
