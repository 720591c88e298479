namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Brings together what has arrived and who waits for it, both in their order. It outlives the links: what has come by one that is gone is still ours.
/// Any thread; nobody is told anything under its lock.
/// </summary>
/// <param name="time">What ages by.</param>
/// <param name="giveBack">Has the broker have what nobody has taken in time.</param>
internal sealed class Handover(TimeProvider time, Action<ServiceBusDelivery> giveBack)
{
    /// <summary>For how long what nobody wants is kept at most.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(5);

    private const double PartToWait = 0.25;
    private const double PartToTake = 0.5;

    private readonly Lock _gate = new();
    private readonly Queue<ServiceBusDelivery> _shelf = new();
    private readonly LinkedList<Wait> _waiting = new();
    private readonly List<ServiceBusDelivery> _stale = [];
    private int _asked;
    private long _askedUntil = time.GetTimestamp();

    /// <summary>How many more messages those who wait, and are not about to leave, have room for.</summary>
    public int Demand
    {
        get
        {
            lock (_gate)
                return Math.Max(0, _asked - _shelf.Count);
        }
    }

    /// <summary>Whether anybody waits who is not about to leave.</summary>
    public bool HasWaiting => Volatile.Read(ref _asked) > 0;

    /// <summary>For how long nobody has.</summary>
    public TimeSpan UnaskedFor
    {
        get
        {
            lock (_gate)
                return _asked > 0 ? TimeSpan.Zero : time.GetElapsedTime(_askedUntil);
        }
    }

    public void Add(ServiceBusDelivery delivery)
    {
        lock (_gate)
            _shelf.Enqueue(delivery);
    }

    /// <summary>Takes what is there, or else waits; null where something was there.</summary>
    public Wait? TakeOrWait(Memory<Delivery> room, out int taken)
    {
        Wait? wait = null;
        lock (_gate)
        {
            taken = _waiting.Count == 0 ? Fill(room.Span) : 0;
            Ask(0);
            if (taken == 0)
            {
                wait = new Wait(room);
                _waiting.AddLast(wait);
                Ask(wait.Asks);
            }
        }

        LetGoStale();
        return wait;
    }

    /// <summary>Gives what has arrived to those who wait.</summary>
    public void HandOver()
    {
        while (NextServed() is { } served)
            served.TrySetResult(served.Given);
        LetGoStale();
    }

    /// <summary>From now on nothing is asked for on its behalf. It may still be served.</summary>
    public void BeginLeaving(Wait wait)
    {
        lock (_gate)
        {
            if (!_waiting.Contains(wait))
                return;
            Ask(-wait.Asks);
            wait.Asks = 0;
        }
    }

    /// <summary>Has a wait end with what is there for it after all. False where it was served before.</summary>
    public bool TryLeave(Wait wait)
    {
        lock (_gate)
        {
            if (!_waiting.Remove(wait))
                return false;
            Ask(-wait.Asks);
            wait.Given = Fill(wait.Room.Span);
            return true;
        }
    }

    /// <summary>Ends all waits.</summary>
    public void Fail(Func<Exception> why)
    {
        foreach (var wait in EndWaits())
            wait.TrySetException(why());
    }

    /// <summary>Ends all waits with nothing.</summary>
    public void Dismiss()
    {
        foreach (var wait in EndWaits())
            wait.TrySetResult(0);
    }

    /// <summary>Gives back what nobody has taken in time. True where something else is there still.</summary>
    public bool GiveBackUnclaimed()
    {
        bool isMore;
        lock (_gate)
        {
            while (_shelf.TryPeek(out var oldest) && HasWaited(oldest, PartToWait, LongestWait))
                _stale.Add(_shelf.Dequeue());
            isMore = _shelf.Count > 0;
        }

        LetGoStale();
        return isMore;
    }

    /// <summary>Everything that is there, for who closes up.</summary>
    public ServiceBusDelivery[] TakeAll()
    {
        lock (_gate)
        {
            var all = _shelf.ToArray();
            _shelf.Clear();
            return all;
        }
    }

    private Wait[] EndWaits()
    {
        lock (_gate)
        {
            Wait[] ended = [.. _waiting];
            _waiting.Clear();
            Ask(-_asked);
            return ended;
        }
    }

    private Wait? NextServed()
    {
        lock (_gate)
        {
            if (_shelf.Count == 0 || _waiting.First is not { } first)
                return null;
            _waiting.RemoveFirst();
            Ask(-first.Value.Asks);
            first.Value.Given = Fill(first.Value.Room.Span);
            if (first.Value.Given > 0)
                return first.Value;

            // All of it had waited for too long.
            _waiting.AddFirst(first);
            Ask(first.Value.Asks);
            return null;
        }
    }

    // For so many more, or fewer. Until now somebody has asked.
    private void Ask(int more) => (_asked, _askedUntil) = (_asked + more, time.GetTimestamp());

    private int Fill(Span<Delivery> room)
    {
        var taken = 0;
        while (taken < room.Length && _shelf.TryDequeue(out var delivery))
        {
            if (delivery.HeldSession is { IsOver: true })
                delivery.End();
            else if (HasWaited(delivery, PartToTake, TimeSpan.MaxValue))
                _stale.Add(delivery);
            else
                room[taken++] = delivery;
        }

        return taken;
    }

    // Its lock burns. A session's does not: that is renewed while its message waits here.
    private bool HasWaited(ServiceBusDelivery delivery, double partOfLock, TimeSpan most)
    {
        var age = time.GetElapsedTime(delivery.ArrivedAt);
        return age >= most || (delivery.Session is null && age >= delivery.LockDuration * partOfLock);
    }

    private void LetGoStale()
    {
        ServiceBusDelivery[] stale;
        lock (_gate)
        {
            if (_stale.Count == 0)
                return;
            stale = [.. _stale];
            _stale.Clear();
        }

        foreach (var delivery in stale)
            giveBack(delivery);
    }
}
