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
    // New leases need no look before their first renewal; this bounds how many that ended long ago wait for it.
    private static readonly TimeSpan s_takeInAtLeastEvery = TimeSpan.FromMilliseconds(100);

    private readonly LaneScheduler _lanes;
    private readonly Func<double> _random;
    private readonly Action<RenewalBatch> _onAnswer;
    private readonly ConcurrentQueue<Lease> _new = new();
    private readonly ConcurrentQueue<RenewalBatch> _answers = new();
    private readonly Deadlines _deadlines = new();
    private readonly List<RenewalBatch> _flights = [];
    private readonly CancellationTokenSource _stop = new();
    private long _nextLook = long.MaxValue;
    private int _held;

    public LeaseKeeper(LaneScheduler lanes, Func<double> random)
    {
        _lanes = lanes;
        _random = random;
        _onAnswer = Answered;
    }

    /// <summary>How many leases are held, of all queues.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>Takes a message's lease into care, from any thread: from the moment it arrived, for it ages while it waits for us.</summary>
    public Lease Hold(LeaseBook book, Delivery delivery)
    {
        var arrived = _lanes.Clock.At(delivery.ArrivedAt);
        var terms = book.Terms(delivery.LockDuration);
        var limit = delivery.HoldLimit is { } most ? arrived + most - terms.Margin : TimeSpan.MaxValue;
        var lease = new Lease(book, delivery, arrived, limit) { RenewAt = terms.RenewAt(arrived, _random()) };
        lease.Trust(terms.TrustedUntil(arrived));

        Interlocked.Increment(ref _held);
        book.Meter.Hold();
        _new.Enqueue(lease);
        Interlocked.MemoryBarrier();
        if (lease.LookAt.Ticks < Volatile.Read(ref _nextLook))
            _lanes.WakeTimedWork();
        return lease;
    }

    /// <summary>Whether a settlement may be sent: only while the lease is trusted. Otherwise it is lost, here and now.</summary>
    public bool TryBeginSettling(Lease lease)
    {
        if (lease.Remaining(_lanes.Clock.Now) > TimeSpan.Zero)
            return lease.TryMove(LeaseState.Held, LeaseState.Settling);

        LoseExpired(lease);
        return false;
    }

    /// <summary>The broker has taken the settlement.</summary>
    public void Settled(Lease lease)
    {
        if (lease.TryMove(LeaseState.Settling, LeaseState.Settled))
            Release(lease);
    }

    /// <summary>Declares a lease lost: its handler is told, its settlement blocked, the miss counted, once.</summary>
    public bool Lose(Lease lease, MissReason reason, LeaseState from = LeaseState.Held)
    {
        if (!lease.TryMove(from, LeaseState.Lost))
            return false;

        Release(lease);
        lease.Book.Miss(lease, reason, _lanes.Clock.Now - lease.Since);
        lease.Cancel(_lanes);
        return true;
    }

    public TimeSpan RunDue(TimeSpan now)
    {
        TakeAnswers();
        TakeNew();
        GiveUpLateAnswers(now);
        RenewDue(now);
        _deadlines.Trim(Held);
        return NextLook(now);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    private void TakeNew()
    {
        while (_new.TryDequeue(out var lease))
        {
            if (!lease.IsOver)
                _deadlines.Add(lease);
        }
    }

    private void RenewDue(TimeSpan now)
    {
        var any = false;
        while (_deadlines.TryPeek(out var lease) && IsDue(lease, now, any))
        {
            _deadlines.Take();
            if (lease.IsOver)
                continue;

            if (lease.TrustedUntil <= now)
            {
                LoseExpired(lease);
            }
            else
            {
                Renew(lease, now);
                any = true;
            }
        }

        if (any)
            SendOpen();
    }

    // Once something is sent anyway, what is due soon may travel with it.
    private static bool IsDue(Lease lease, TimeSpan now, bool coalesce)
    {
        if (lease.LookAt <= now || lease.IsOver)
            return true;
        return coalesce && lease.RenewAt <= now + lease.Book.Terms(lease.Delivery.LockDuration).Coalescing && lease.Book.Open is { IsFull: false };
    }

    private void Renew(Lease lease, TimeSpan now)
    {
        var book = lease.Book;
        book.Meter.Late(now > lease.RenewAt ? now - lease.RenewAt : TimeSpan.Zero);
        var batch = book.Open ??= book.NewBatch();
        if (batch.Count == 0)
            _flights.Add(batch);
        batch.Add(lease);
        if (batch.IsFull)
            Send(batch);
    }

    private void SendOpen()
    {
        for (var i = _flights.Count - 1; i >= 0; i--)
        {
            if (_flights[i].Book.Open == _flights[i])
                Send(_flights[i]);
        }
    }

    private void Send(RenewalBatch batch)
    {
        batch.Book.Open = null;
        if (batch.Send(_lanes.Clock.Now, _onAnswer, _stop.Token))
            Take(batch);
    }

    // Where the answer arrives: any thread.
    private void Answered(RenewalBatch batch)
    {
        _answers.Enqueue(batch);
        _lanes.WakeTimedWork();
    }

    private void TakeAnswers()
    {
        while (_answers.TryDequeue(out var batch))
            Take(batch);
    }

    private void Take(RenewalBatch batch)
    {
        _flights.Remove(batch);
        var now = _lanes.Clock.Now;
        var outcomes = batch.Outcomes;
        batch.Book.Answered(outcomes, batch.Failure);
        for (var i = 0; i < outcomes.Length; i++)
            Apply(batch[i], batch, outcomes[i], now);

        batch.Clear();
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

        if (outcome == Renewal.Renewed)
            Extend(lease, batch.AskedAt, now, isAwaited);
        else if (isAwaited)
            lease.RenewAt = LeaseTerms.RetryAt(now, lease.TrustedUntil);

        if (outcome is Renewal.Lost or Renewal.Severed)
            Lose(lease, outcome == Renewal.Lost ? MissReason.Rejected : MissReason.Connection);
        if (isAwaited && !lease.IsOver)
            _deadlines.Add(lease);
    }

    private void Extend(Lease lease, TimeSpan asked, TimeSpan now, bool isAwaited)
    {
        var book = lease.Book;
        var lockDuration = lease.Delivery.LockDuration;
        var due = lease.RenewAt < asked ? lease.RenewAt : asked;
        book.Renewed(delay: now - due, trustLeft: lease.TrustedUntil - now, lockDuration);

        var terms = book.Terms(lockDuration);
        lease.Trust(terms.TrustedUntil(asked));
        if (isAwaited)
            lease.RenewAt = terms.RenewAt(asked, _random());
    }

    // A renewal that hangs must hide neither the next try nor the end of trust.
    private void GiveUpLateAnswers(TimeSpan now)
    {
        for (var i = _flights.Count - 1; i >= 0; i--)
        {
            var batch = _flights[i];
            if (batch.AnswerBy > now)
                continue;

            _flights.RemoveAt(i);
            batch.Book.Failed(batch.Count, "No answer so far.");
            for (var j = 0; j < batch.Count; j++)
            {
                if (batch[j].Flight != batch || batch[j].IsOver)
                    continue;
                batch[j].Flight = null;
                batch[j].RenewAt = now;
                _deadlines.Add(batch[j]);
            }
        }
    }

    private TimeSpan NextLook(TimeSpan now)
    {
        var next = _deadlines.Next;
        foreach (var batch in _flights)
            next = batch.AnswerBy < next ? batch.AnswerBy : next;

        // Whoever adds a lease looks at this after the lease is in sight; this looks for leases after it is in sight itself.
        Volatile.Write(ref _nextLook, next.Ticks);
        Interlocked.MemoryBarrier();
        if (!_new.IsEmpty || Held > 0)
            next = now + s_takeInAtLeastEvery < next ? now + s_takeInAtLeastEvery : next;
        return next;
    }

    private void LoseExpired(Lease lease)
    {
        var reason = lease.IsAtLimit ? MissReason.Deadline
            : lease.Book.Receiver.IsConnected ? MissReason.Expired
            : MissReason.Connection;
        Lose(lease, reason);
    }

    private void Release(Lease lease)
    {
        Interlocked.Decrement(ref _held);
        lease.Book.Meter.Release();
    }
}
