namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Brings together what has arrived and who waits for it, both in their order. It outlives the links: what has come by one that is gone is still ours.
/// Any thread; nobody is told anything under its lock.
/// </summary>
internal sealed class Handover(TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly Queue<ServiceBusDelivery> _shelf = new();
    private readonly LinkedList<Wait> _waiting = new();
    private int _room;

    /// <summary>How many more messages those who wait have room for.</summary>
    public int Demand
    {
        get
        {
            lock (_gate)
                return Math.Max(0, _room - _shelf.Count);
        }
    }

    public bool HasWaiting => Volatile.Read(ref _room) > 0;

    /// <summary>How long the first of what nobody has taken lies there; null where there is nothing.</summary>
    public TimeSpan? OldestAge
    {
        get
        {
            lock (_gate)
                return _shelf.TryPeek(out var oldest) ? time.GetElapsedTime(oldest.ArrivedAt) : null;
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
        lock (_gate)
        {
            taken = _waiting.Count == 0 ? Fill(room.Span) : 0;
            if (taken > 0)
                return null;

            var wait = new Wait(room);
            _waiting.AddLast(wait);
            _room += room.Length;
            return wait;
        }
    }

    /// <summary>Gives what has arrived to those who wait.</summary>
    public void HandOver()
    {
        while (NextServed() is { } served)
            served.TrySetResult(served.Given);
    }

    /// <summary>Has a wait end with what is there for it after all. False where it was served before.</summary>
    public bool TryLeave(Wait wait)
    {
        lock (_gate)
        {
            if (!_waiting.Remove(wait))
                return false;
            _room -= wait.Room.Length;
            wait.Given = Fill(wait.Room.Span);
            return true;
        }
    }

    /// <summary>Whether a wait is the only one.</summary>
    public bool IsAlone(Wait wait)
    {
        lock (_gate)
            return _waiting.Count == 1 && _waiting.First!.Value == wait;
    }

    /// <summary>Ends all waits.</summary>
    public void Fail(Func<Exception> why)
    {
        Wait[] ended;
        lock (_gate)
        {
            ended = [.. _waiting];
            _waiting.Clear();
            _room = 0;
        }

        foreach (var wait in ended)
            wait.TrySetException(why());
    }

    /// <summary>Everything that nobody has taken for so long.</summary>
    public List<ServiceBusDelivery> TakeOlderThan(TimeSpan age)
    {
        var taken = new List<ServiceBusDelivery>();
        lock (_gate)
        {
            while (_shelf.TryPeek(out var oldest) && time.GetElapsedTime(oldest.ArrivedAt) >= age)
                taken.Add(_shelf.Dequeue());
        }

        return taken;
    }

    private Wait? NextServed()
    {
        lock (_gate)
        {
            if (_shelf.Count == 0 || _waiting.First is not { } first)
                return null;
            _waiting.RemoveFirst();
            _room -= first.Value.Room.Length;
            first.Value.Given = Fill(first.Value.Room.Span);
            return first.Value;
        }
    }

    private int Fill(Span<Delivery> room)
    {
        var taken = 0;
        while (taken < room.Length && _shelf.TryDequeue(out var delivery))
            room[taken++] = delivery;
        return taken;
    }
}
