using System.Diagnostics;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>
/// One held message's lease. The LeaseKeeper moves its times, on the lease thread; whoever wins <see cref="TryMove"/> ends it, on any thread.
/// </summary>
internal sealed class Lease
{
    private const int LastPartOfHold = 4;
    private static readonly object s_noTrace = default(ActivityContext);

    private long _trustedUntil;

    // How long the lock lasts that trust is counted by, in milliseconds: beside it the state, and whether it is answered, take no room of their own.
    private int _lock;
    private byte _state;
    private CancellationTokenSource? _handling;
    private CancellationTokenSource? _settling;
    private volatile object? _trace;

    /// <param name="book">The queue's leases that this one is among.</param>
    /// <param name="delivery">The message.</param>
    /// <param name="arrived">When it came into our hands.</param>
    /// <param name="spread">From 0 to 1, to keep leases that came together from coming due together.</param>
    /// <param name="locked">When the broker gave us its lock, or renewed it, where that was not as it came: trust is counted from there.</param>
    public Lease(LeaseBook book, Delivery delivery, TimeSpan arrived, double spread, TimeSpan? locked = null)
    {
        Book = book;
        Delivery = delivery;
        Since = arrived;

        var terms = Terms;
        Limit = terms.Limit(arrived, delivery.HoldLimit);
        _lock = Milliseconds(terms.Lock);
        Trust(terms.TrustedUntil(locked ?? arrived), isShortened: false);
        RenewAt = IsAtLimit ? GiveBackAt : terms.RenewAt(locked ?? arrived, spread);
    }

    public LeaseBook Book { get; }

    /// <summary>Its number among all that the LeaseKeeper took into care, from 1.</summary>
    public long Number { get; init; }

    public Delivery Delivery { get; }

    /// <summary>When the message came into our hands.</summary>
    public TimeSpan Since { get; }

    /// <summary>From when on no renewal helps, because the broker lets nobody hold a message for longer.</summary>
    public TimeSpan Limit { get; }

    /// <summary>Until when we know that the message is ours.</summary>
    public TimeSpan TrustedUntil
    {
        get => new(Volatile.Read(ref _trustedUntil));
        private set => Volatile.Write(ref _trustedUntil, value.Ticks);
    }

    /// <summary>When to ask the broker for more; while a request is under way: when to ask again without its answer. Lease thread only, once held.</summary>
    public TimeSpan RenewAt { get; private set; }

    /// <summary>The request that asks for more, while it is under way. Lease thread only.</summary>
    public RenewalBatch? Flight { get; set; }

    /// <summary>Whether it was renewed since it was last asked for. What then still comes to earlier requests tells nothing new. Lease thread only.</summary>
    public bool IsAnswered { get; private set; }

    /// <summary>Gives the message back, shortly before the broker lets nobody hold it any longer. Must not wait: it is called on the lease thread, once.</summary>
    public Action? GiveBack { get; set; }

    /// <summary>The span that the message's handler runs in, or before that the one that it was sent in; default where there is none. Any thread.</summary>
    public ActivityContext Trace
    {
        get => (ActivityContext)(_trace ??= Boxed(TraceContext.Of(Delivery.Message)));
        set => _trace = Boxed(value);
    }

    /// <summary>The same, if somebody has asked for it: looking for it costs more than the lease thread may spend.</summary>
    public ActivityContext KnownTrace => _trace is ActivityContext trace ? trace : default;

    public LeaseState State => (LeaseState)Volatile.Read(ref _state);

    public bool IsOver => State is LeaseState.Settled or LeaseState.Lost;

    /// <summary>Whether no renewal helps any more.</summary>
    public bool IsAtLimit => TrustedUntil >= Limit;

    /// <summary>When the keeper must look at it again.</summary>
    public TimeSpan LookAt => RenewAt < TrustedUntil ? RenewAt : TrustedUntil;

    /// <summary>Why it would be lost if nothing but time had passed.</summary>
    public MissReason ReasonOfExpiry =>
        IsAtLimit ? MissReason.Deadline
        : Book.Receiver.IsConnected ? MissReason.Expired
        : MissReason.Connection;

    /// <summary>Why it is lost, where that is known without asking the broker.</summary>
    public MissReason? ReasonOfFate => Delivery.Fate is { } fate ? ReasonOf(fate) : null;

    /// <summary>Cancelled when the lease is lost, or the message is to be given back: the handler's one token.</summary>
    public CancellationToken Token => TokenOf(ref _handling);

    /// <summary>Cancelled when the lease is lost, and only then: the settlement's token.</summary>
    public CancellationToken LossToken => TokenOf(ref _settling);

    private LeaseTerms Terms => Book.Terms(Delivery.LockDuration);

    private TimeSpan GiveBackAt => Limit - Terms.LastWord;

    /// <summary>Why a lease is lost that this became of; null where it is not.</summary>
    public static MissReason? ReasonOf(Renewal outcome) => outcome switch
    {
        Renewal.Lost => MissReason.Rejected,
        Renewal.Severed => MissReason.Connection,
        _ => null,
    };

    /// <summary>How near it is to being lost. Any thread.</summary>
    public LeaseDanger Danger(TimeSpan now) => State == LeaseState.Lost ? LeaseDanger.Lost : Terms.Danger(Remaining(now));

    /// <summary>How long it would still be trusted without another renewal.</summary>
    public TimeSpan Remaining(TimeSpan now) => State != LeaseState.Lost && TrustedUntil > now ? TrustedUntil - now : TimeSpan.Zero;

    /// <summary>
    /// Whether so little is left of the time for which it may be held that a handler that began now, and took as long as a turn does, would be called off.
    /// While a quarter of that time is left it has its try, however long turns are.
    /// </summary>
    public bool IsTooLateFor(TimeSpan turn, TimeSpan now)
    {
        if (Limit == TimeSpan.MaxValue)
            return false;

        var (left, all) = (GiveBackAt - now, GiveBackAt - Since);
        return left < all / LastPartOfHold && (left < turn || left < Terms.LastWord);
    }

    /// <summary>Uses the rest of the trust to give back what may not be held any longer; while there is time, says when instead.</summary>
    public void GiveBackIfDue(TimeSpan now)
    {
        // Looked at anew each time: it moves with the margin.
        if (now < GiveBackAt)
        {
            RenewAt = GiveBackAt;
            return;
        }

        // Once: it is looked at again where others are asked for, before anything has come of this.
        RenewNoMore();
        var giveBack = GiveBack;
        GiveBack = null;
        giveBack?.Invoke();
    }

    /// <summary>It is asked for: when to ask again, should no answer come.</summary>
    public void Asked(TimeSpan now)
    {
        IsAnswered = false;
        RenewAt = LeaseTerms.RetryAt(now, TrustedUntil);
    }

    /// <summary>From here on only the end of trust is looked for.</summary>
    public void RenewNoMore() => RenewAt = TimeSpan.MaxValue;

    /// <summary>
    /// The broker has granted what was asked for at that instant. Answers may come late and out of order: while locks last as long as they did, trust only grows.
    /// A late one that tells of a longer lock than a later answer had is not believed.
    /// </summary>
    public void Extend(TimeSpan asked, double spread, bool isAwaited)
    {
        var terms = Terms;
        var length = Milliseconds(terms.Lock);

        // Where nothing is under way it is looked at again at its time only, which was reckoned by a later answer than this one.
        var isShortened = length < _lock && (isAwaited || Flight is not null);
        if (isAwaited || isShortened)
            _lock = length;
        else
            terms = Book.Terms(TimeSpan.FromMilliseconds(_lock));

        IsAnswered = true;
        Trust(terms.TrustedUntil(asked), isShortened);
        if (isAwaited)
            RenewAt = IsAtLimit ? GiveBackAt : terms.RenewAt(asked, spread);
    }

    /// <summary>Moves to <paramref name="to"/> if it still is in <paramref name="from"/>. Of several that try, one wins.</summary>
    public bool TryMove(LeaseState from, LeaseState to) =>
        Interlocked.CompareExchange(ref _state, (byte)to, (byte)from) == (byte)from;

    /// <summary>Tells the handler that its time is over.</summary>
    public void CallOff()
    {
        // He may not have looked at his token yet.
        Interlocked.CompareExchange(ref _handling, new(), null);
        Cancel(_handling);
    }

    /// <summary>Tells the handler and the settlement that the lease is lost.</summary>
    public void TellOfLoss()
    {
        Cancel(Volatile.Read(ref _handling));
        Cancel(Volatile.Read(ref _settling));
    }

    private static int Milliseconds(TimeSpan length) => (int)Math.Min(length.TotalMilliseconds, int.MaxValue);

    // An answer that tells of a shorter lock ends what was trusted by the longer one.
    private void Trust(TimeSpan until, bool isShortened)
    {
        until = until < Limit ? until : Limit;
        if (isShortened || until > TrustedUntil)
            TrustedUntil = until;
    }

    private static object Boxed(ActivityContext trace) => trace.TraceId == default ? s_noTrace : trace;

    private CancellationToken TokenOf(ref CancellationTokenSource? source)
    {
        var cancel = source ?? Interlocked.CompareExchange(ref source, new(), null) ?? source;
        if (State == LeaseState.Lost && !cancel.IsCancellationRequested)
            CancelHere(cancel);
        return cancel.Token;
    }

    // Soon: whoever is told never runs on the thread that tells. By the pool where there are threads, so that a handler
    // that burns every lane thread hears of it at once; in its lane where all is run by hand, so that each run is the same.
    private void Cancel(CancellationTokenSource? cancel)
    {
        if (cancel is null)
            return;

        if (!Book.Lanes.HasThreads)
            _ = CancelInLane(cancel);
        else
            PoolQueue.Add(CancelHere, cancel);
    }

    private static void CancelHere(CancellationTokenSource cancel)
    {
        try
        {
            cancel.Cancel();
        }
        catch (AggregateException)
        {
            // What somebody has registered there, and throws, is of no consequence: the lease has ended, and all who are to hear of it have.
        }
    }

    private async Task CancelInLane(CancellationTokenSource cancel)
    {
        await Book.Lanes.Turn(Lane.Lease);
        CancelHere(cancel);
    }
}
