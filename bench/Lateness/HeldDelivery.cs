using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Bench;

/// <summary>A delivery that knows the lease it is held by, and how that fared.</summary>
internal sealed class HeldDelivery : Delivery
{
    private Lease? _lease;
    private TimeSpan _trustedUntil;

    [SetsRequiredMembers]
    public HeldDelivery(int number, TimeSpan arrived, TimeSpan lockDuration, TimeProvider time)
    {
        Message = new Message { Id = $"{number}" };
        DeliveryCount = 1;
        ArrivedAt = (long)(arrived.TotalSeconds * time.TimestampFrequency);
        LockDuration = lockDuration;
        Log = new(arrived + Leases.Every);
    }

    public RenewalLog Log { get; }

    public void HeldBy(Lease lease)
    {
        _trustedUntil = lease.TrustedUntil;
        Volatile.Write(ref _lease, lease);
    }

    /// <summary>Notes a renewal, if there was one since the last look.</summary>
    public void Look(TimeSpan now)
    {
        if (Volatile.Read(ref _lease) is not { } lease || lease.TrustedUntil <= _trustedUntil)
            return;

        _trustedUntil = lease.TrustedUntil;
        Log.Renewed(now);
    }
}

/// <summary>Looks at every lease right after the LeaseKeeper has, on the lease thread: a renewal counts once it has made trust longer.</summary>
internal sealed class Witness(HeldDelivery[] deliveries, Clock clock) : ITimedWork
{
    public TimeSpan RunDue(TimeSpan now)
    {
        foreach (var delivery in deliveries)
            delivery.Look(clock.Now);
        return TimeSpan.MaxValue;
    }
}
