using System.Collections.Concurrent;
using Holdfast.Broker;
using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>
/// Keeps every held message's lease: renews what is due, earliest deadline first, and declares lost what can no longer be trusted.
/// Its loop runs on the lease thread, which never runs user code and never waits for an answer.
/// </summary>
internal sealed class LeaseKeeper : ITimedWork, IDisposable
{
    // A lease that is over waits here for its time, and its message with it: large ones must not, for nobody counts them among the bytes in flight any more.
    private const long MostSpent = 16L << 20;
    private const int NoticeableSize = 4096;

    private readonly LaneScheduler _lanes;
    private readonly Func<double> _random;
    private readonly Action<RenewalBatch> _onAnswer;
    private readonly NewLeases _new = new();
    private readonly ConcurrentQueue<RenewalBatch> _answers = new();
    private readonly Deadlines _deadlines = new();
    private readonly Flights _flights = new();
    private readonly List<LeaseBook> _open = [];
    private readonly List<Lease> _later = [];
    private readonly CancellationTokenSource _stop = new();
    private long _spent;
    private int _held;

    public LeaseKeeper(LaneScheduler lanes, Func<double> random)
    {
        _lanes = lanes;
        _random = random;
        _onAnswer = Answered;
    }

    /// <summary>How many leases are held, of all queues.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>From 0 to 1, to keep from happening together what happened together before. Any thread.</summary>
    public double Random() => _random();

    /// <summary>Takes a message's lease into care, from any thread: from the moment it arrived, for it ages while it waits for us.</summary>
    public Lease Hold(LeaseBook book, Delivery delivery)
    {
        TimeSpan? locked = delivery.LockedAt is { } at ? _lanes.Clock.At(at) : null;
        var lease = new Lease(book, delivery, _lanes.Clock.At(delivery.ArrivedAt), _random(), locked) { Number = _new.NextNumber() };
        Interlocked.Increment(ref _held);
        book.Hold(lease);
        if (_new.Add(lease))
            _lanes.WakeTimedWork();
        return lease;
    }

    /// <summary>Whether a settlement may be sent: only while the lease is trusted. Otherwise it is lost, here and now.</summary>
    public bool TryBeginSettling(Lease lease)
    {
        if (lease.Remaining(_lanes.Clock.Now) > TimeSpan.Zero)
            return lease.TryMove(LeaseState.Held, LeaseState.Settling);

        Lose(lease, lease.ReasonOfExpiry);
        return false;
    }

    /// <summary>The broker has taken the settlement. With a <paramref name="miss"/> it was one that the handler did not ask for, and is a loss to it.</summary>
    public void Settled(Lease lease, MissReason? miss = null)
    {
        if (miss is { } reason)
            End(lease, reason, LeaseState.Settling, isSettled: true);
        else if (lease.TryMove(LeaseState.Settling, LeaseState.Settled))
            Release(lease);
    }

    /// <summary>Declares a lease lost: its handler is told, its settlement blocked, the miss counted, the broker told, once.</summary>
    public void Lose(Lease lease, MissReason reason, LeaseState from = LeaseState.Held) => End(lease, reason, from, isSettled: false);

    /// <summary>The same, even if it is being settled.</summary>
    public void LoseEvenIfSettling(Lease lease, MissReason reason)
    {
        // In this order, because its settlement may begin just now, and nobody will look at this lease again.
        Lose(lease, reason);
        Lose(lease, reason, from: LeaseState.Settling);
    }

    public TimeSpan RunDue(TimeSpan now)
    {
        while (_answers.TryDequeue(out var batch))
            Take(batch);
        while (_new.TryTake(out var lease))
            Schedule(lease);
        while (_flights.TryTakeLate(now, out var batch))
            AskAgain(batch, now);
        while (_deadlines.TryTakeDue(now + Coalescing, out var lease))
            Look(lease, now);

        foreach (var book in _open)
            Send(book.CloseBatch());
        foreach (var lease in _later)
            _deadlines.Add(lease);
        _open.Clear();
        _later.Clear();
        _deadlines.Trim(Held, areHeavy: ForgetSpent());
        var next = _deadlines.Next < _flights.Next ? _deadlines.Next : _flights.Next;
        return _new.NextLook(now, next, areAnyHeld: Held > 0);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    // Once something is sent anyway, what is due soon may travel with it.
    private TimeSpan Coalescing => _open.Count > 0 ? _open[^1].Coalescing : TimeSpan.Zero;

    private void Schedule(Lease lease)
    {
        if (!lease.IsOver)
            _deadlines.Add(lease);
    }

    private void Look(Lease lease, TimeSpan now)
    {
        if (lease.IsOver)
            return;

        if (lease.TrustedUntil <= now)
        {
            // A settlement that is still not answered then is called off: who knows what became of it.
            LoseEvenIfSettling(lease, lease.ReasonOfExpiry);
        }
        else if (lease.LookAt > now + lease.Book.Coalescing)
        {
            // Another queue's batch is open, and its locks are longer.
            _later.Add(lease);
        }
        else if (lease.State == LeaseState.Settling && (lease.IsAtLimit || !lease.Delivery.IsHeldMeanwhile))
        {
            // No renewal beside most settlements: it would say that the lease is lost, once that is done.
            lease.RenewNoMore();
            _later.Add(lease);
        }
        else if (lease.IsAtLimit)
        {
            lease.GiveBackIfDue(now);
            _later.Add(lease);
        }
        else
        {
            Renew(lease, now);
        }
    }

    private void Renew(Lease lease, TimeSpan now)
    {
        var book = lease.Book;
        book.Meter.Late(now > lease.RenewAt ? now - lease.RenewAt : TimeSpan.Zero, lease.KnownTrace);
        if (!book.HasOpenBatch)
            _open.Add(book);
        if (book.Add(lease) is not { IsFull: true })
            return;

        _open.Remove(book);
        Send(book.CloseBatch());
    }

    private void Send(RenewalBatch batch)
    {
        if (batch.Send(_lanes.Clock.Now, _onAnswer, _stop.Token))
            Take(batch);
        else
            _flights.Add(batch);
    }

    // Where the answer arrives: any thread.
    private void Answered(RenewalBatch batch)
    {
        _answers.Enqueue(batch);
        _lanes.WakeTimedWork();
    }

    private void Take(RenewalBatch batch)
    {
        var now = _lanes.Clock.Now;
        var outcomes = batch.Outcomes;
        if (!batch.IsCalledOff)
            batch.Book.Answered(batch, now);
        for (var i = 0; i < outcomes.Length; i++)
            Apply(batch[i], batch, outcomes[i], now);
        batch.Book.Return(batch);
    }

    private void Apply(Lease lease, RenewalBatch batch, Renewal outcome, TimeSpan now)
    {
        // An answer that was given up may still come, when the lease is asked for anew: it then only adds trust, or ends the lease.
        var isAwaited = lease.Flight == batch;
        if (isAwaited)
            lease.Flight = null;
        if (lease.IsOver)
            return;

        if (IsNews(lease, outcome, isAwaited))
            lease.Book.Meter.Answered(outcome);

        if (outcome == Renewal.Renewed)
        {
            lease.Book.Renewed(lease, now - batch.DueAt, now);
            lease.Extend(batch.AskedAt, _random(), isAwaited);
        }
        else if (Lease.ReasonOf(outcome) is { } reason)
        {
            Lose(lease, reason);
        }

        if (isAwaited)
            Schedule(lease);
    }

    // What was asked for several times is answered several times, and counts once. A lease that is being settled may be answered as lost, although nobody has lost it.
    private static bool IsNews(Lease lease, Renewal outcome, bool isAwaited) => outcome switch
    {
        Renewal.Renewed => !lease.IsAnswered,
        Renewal.Unknown => !lease.IsAnswered && isAwaited,
        _ => lease.State == LeaseState.Held,
    };

    // A renewal that hangs must hide neither the next try nor the end of trust.
    private void AskAgain(RenewalBatch batch, TimeSpan now)
    {
        var late = 0;
        for (var i = 0; i < batch.Count; i++)
        {
            var lease = batch[i];
            if (lease.Flight != batch || lease.RenewAt > now)
                continue;

            lease.Flight = null;
            Schedule(lease);
            late++;
        }

        if (late > 0)
            batch.Book.Unanswered(late);

        // It may never be answered, and would keep all of its messages for as long.
        if (batch.IsOver)
            batch.Book.CallOff(batch);
        else
            _flights.AddAgain(batch, now);
    }

    private void End(Lease lease, MissReason reason, LeaseState from, bool isSettled)
    {
        if (!lease.TryMove(from, LeaseState.Lost))
            return;

        Release(lease);
        lease.TellOfLoss();
        lease.Book.Miss(lease, reason, isSettled);
    }

    private void Release(Lease lease)
    {
        Interlocked.Decrement(ref _held);
        lease.Book.Meter.Release();
        var size = lease.Delivery.Message.Weight;
        if (size >= NoticeableSize && Interlocked.Add(ref _spent, size) is var spent && spent >= MostSpent && spent - size < MostSpent)
            _lanes.WakeTimedWork();
    }

    // To look through all that are held costs more than a few messages.
    private bool ForgetSpent()
    {
        var spent = Volatile.Read(ref _spent);
        if (spent < MostSpent || spent < (long)NoticeableSize * Held)
            return false;

        Interlocked.Add(ref _spent, -spent);
        return true;
    }
}
