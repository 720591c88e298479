using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>
/// One held message's lease. The LeaseKeeper moves its times, on the lease thread; whoever wins <see cref="TryMove"/> ends it, on any thread.
/// </summary>
internal sealed class Lease(LeaseBook book, Delivery delivery, TimeSpan since, TimeSpan limit)
{
    private long _trustedUntil;
    private int _state;
    private CancellationTokenSource? _cancel;

    /// <summary>The queue's leases that this one is among.</summary>
    public LeaseBook Book { get; } = book;

    public Delivery Delivery { get; } = delivery;

    /// <summary>When the message came into our hands.</summary>
    public TimeSpan Since { get; } = since;

    /// <summary>From when on no renewal helps, because the broker lets nobody hold a message for longer.</summary>
    public TimeSpan Limit { get; } = limit;

    /// <summary>Until when we know that the message is ours.</summary>
    public TimeSpan TrustedUntil
    {
        get => new(Volatile.Read(ref _trustedUntil));
        private set => Volatile.Write(ref _trustedUntil, value.Ticks);
    }

    /// <summary>When to ask the broker for more. Lease thread only, once held.</summary>
    public TimeSpan RenewAt { get; set; }

    /// <summary>The request that asks for more, while it is under way. Lease thread only.</summary>
    public RenewalBatch? Flight { get; set; }

    public LeaseState State => (LeaseState)Volatile.Read(ref _state);

    public bool IsOver => State is LeaseState.Settled or LeaseState.Lost;

    /// <summary>When the keeper must look at it again.</summary>
    public TimeSpan LookAt => RenewAt < TrustedUntil ? RenewAt : TrustedUntil;

    /// <summary>Whether a loss at this instant would be the hold limit's doing.</summary>
    public bool IsAtLimit => TrustedUntil >= Limit;

    /// <summary>Cancelled when the lease is lost, or the message is to be given back: the handler's one token.</summary>
    public CancellationToken Token
    {
        get
        {
            var cancel = _cancel ?? Interlocked.CompareExchange(ref _cancel, new(), null) ?? _cancel;
            if (State == LeaseState.Lost && !cancel.IsCancellationRequested)
                cancel.Cancel();
            return cancel.Token;
        }
    }

    public TimeSpan Remaining(TimeSpan now) => State != LeaseState.Lost && TrustedUntil > now ? TrustedUntil - now : TimeSpan.Zero;

    /// <summary>Trust until then, but not beyond the limit, and never less than was known already: answers may come late and out of order.</summary>
    public void Trust(TimeSpan until)
    {
        until = until < Limit ? until : Limit;
        if (until > TrustedUntil)
            TrustedUntil = until;
    }

    /// <summary>Moves to <paramref name="to"/> if it still is in <paramref name="from"/>. Of several that try, one wins.</summary>
    public bool TryMove(LeaseState from, LeaseState to) =>
        Interlocked.CompareExchange(ref _state, (int)to, (int)from) == (int)from;

    /// <summary>Tells the handler, soon: its own callbacks never run on the thread that tells.</summary>
    public void Cancel(LaneScheduler lanes)
    {
        if (Volatile.Read(ref _cancel) is not { } cancel)
            return;

        // By the pool where there are threads, so that a handler that burns every lane thread hears of it at once;
        // in its lane where all is run by hand, so that each run is the same.
        if (lanes.HasThreads)
            _ = cancel.CancelAsync();
        else
            _ = CancelInLane(lanes, cancel);
    }

    private static async Task CancelInLane(LaneScheduler lanes, CancellationTokenSource cancel)
    {
        await lanes.Turn(Lane.Lease);
        cancel.Cancel();
    }
}
