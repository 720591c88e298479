namespace Holdfast.Broker.ServiceBus;

/// <summary>A session that is ours, from the link that brought it to its loss or its return. Any thread; what a handler asks of it completes on the thread pool.</summary>
internal sealed class HeldSession(string id, string link, ManagementNode node, TimeProvider time, BrokerClock clock) : Session, ISessionLock
{
    private long _lockedAt;
    private LockLength _lock;
    private int _fate;

    public override string Id => id;

    public long Term { get; private set; }

    public long LockedAt => Volatile.Read(ref _lockedAt);

    public TimeSpan LockDuration => _lock.Now;

    public bool IsOver => Fate is not null;

    /// <summary>How it ended: with its link, or by the broker's word or our own; null while it is ours.</summary>
    public Renewal? Fate => (Renewal)Volatile.Read(ref _fate) is > Renewal.Renewed and var fate ? fate : null;

    /// <summary>It is ours no more. The first reason counts.</summary>
    public void End(Renewal fate) => Interlocked.CompareExchange(ref _fate, (int)fate, 0);

    /// <summary>How much of its lock has passed, from 0 to 1.</summary>
    public double PartPassed => time.GetElapsedTime(LockedAt) / LockDuration;

    /// <summary>The broker has given us its lock, asked for at that timestamp of ours, until then by its clock.</summary>
    public void Locked(long askedAt, DateTimeOffset until)
    {
        _lock = new(clock.Until(until, time.GetTimestamp()));
        Term = until.ToUnixTimeMilliseconds();
        Volatile.Write(ref _lockedAt, askedAt);
    }

    /// <summary>False where it is lost.</summary>
    /// <exception cref="BrokerException">The broker failed; what became of it is unknown.</exception>
    public async ValueTask<bool> RenewAsync(CancellationToken cancel)
    {
        var askedAt = time.GetTimestamp();
        if (IsOver || await node.RenewSessionAsync(Id, link, cancel).ConfigureAwait(false) is not { } until)
            return false;
        _lock.Renewed(clock, askedAt, until);
        Volatile.Write(ref _lockedAt, askedAt);
        return true;
    }

    public override async ValueTask<ReadOnlyMemory<byte>?> GetStateAsync(CancellationToken cancel)
    {
        ThrowIfOver();
        try
        {
            return await node.GetSessionStateAsync(Id, link, cancel).ConfigureAwait(false);
        }
        finally
        {
            await Hop.ToPool();
        }
    }

    public override async ValueTask SetStateAsync(ReadOnlyMemory<byte>? state, CancellationToken cancel)
    {
        ThrowIfOver();
        try
        {
            await node.SetSessionStateAsync(Id, link, state, cancel).ConfigureAwait(false);
        }
        finally
        {
            await Hop.ToPool();
        }
    }

    // Somebody may have it by now, we ourselves among them: then it is not certain that the broker would refuse what comes by the name of a link that is gone.
    private void ThrowIfOver()
    {
        if (IsOver)
            throw new BrokerException($"The session '{Id}' is no longer ours.", isTransient: false);
    }
}
