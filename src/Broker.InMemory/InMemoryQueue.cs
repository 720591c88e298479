namespace Holdfast.Broker.InMemory;

/// <summary>One queue: its messages, the receivers that wait for them, and whoever has it open. One short lock guards all.</summary>
internal sealed class InMemoryQueue : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Stock _stock;
    private readonly List<Wait> _waits = [];
    private readonly InMemoryBroker _broker;
    private readonly Alarm _alarm;
    private int _users;
    private volatile bool _isGone;

    public InMemoryQueue(InMemoryBroker broker, string name)
    {
        _broker = broker;
        Name = name;
        _stock = new Stock(broker, name);
        _alarm = new Alarm(broker.Time, OnAlarm);
    }

    public string Name { get; }

    /// <summary>Whether the broker has forgotten it, for it had nothing and nobody. Another one has its name, or will.</summary>
    public bool IsGone => _isGone;

    public InMemoryQueueCounts Counts
    {
        get
        {
            using var turn = Enter();
            return _stock.Counts;
        }
    }

    /// <summary>Somebody sends to it, or receives from it, until he leaves. False where it is gone.</summary>
    public bool TryJoin()
    {
        lock (_gate)
        {
            if (!_isGone)
                _users++;
            return !_isGone;
        }
    }

    public void Leave()
    {
        lock (_gate)
        {
            _users--;
            GoIfUnused();
        }
    }

    /// <summary>False where it is gone.</summary>
    public bool TrySend(StoredMessage message, TimeSpan delay)
    {
        using var turn = Enter();
        if (_isGone)
            return false;

        _stock.Add(message, delay, turn.Now);
        return true;
    }

    public ValueTask<int> ReceiveAsync(InMemoryReceiver receiver, Memory<Delivery> room, CancellationToken cancel)
    {
        Wait wait;
        using (var turn = Enter())
        {
            // Looked at under the lock: what ends the waits of this queue comes before this one or finds it.
            if (receiver.Obstacle is { } obstacle)
                return ValueTask.FromException<int>(obstacle);
            var taken = _stock.Take(receiver, room.Span, turn.Now);
            if (room.IsEmpty || taken > 0)
                return new ValueTask<int>(taken);
            wait = receiver.NewWait(room);
            _waits.Add(wait);
        }

        return wait.HeedAsync(cancel);
    }

    public void Renew(ReadOnlySpan<Delivery> due, Span<Renewal> outcomes)
    {
        using var turn = Enter();
        for (var i = 0; i < due.Length; i++)
            outcomes[i] = _stock.Renew((InMemoryDelivery)due[i], turn.Now);
    }

    public bool Settle(InMemoryDelivery delivery, Settlement settlement)
    {
        using var turn = Enter();
        return _stock.Settle(delivery, settlement, turn.Now);
    }

    /// <summary>Ends the waits and, where they live with the connection, the leases of one receiver; of all where it is null.</summary>
    public void Disconnect(InMemoryReceiver? receiver, Func<Exception> reason)
    {
        using var turn = Enter();
        foreach (var wait in _waits.FindAll(wait => receiver is null || wait.Receiver == receiver))
        {
            _waits.Remove(wait);
            wait.End(reason());
        }

        _stock.Sever(receiver, turn.Now);
    }

    public void CallOff(Wait wait, Exception reason)
    {
        Completions.Enter();
        lock (_gate)
        {
            if (_waits.Remove(wait))
                wait.End(reason);
        }

        Completions.Exit();
    }

    public void Dispose()
    {
        Disconnect(null, static () => new OperationCanceledException("The broker was closed."));
        using var turn = Enter();
        _alarm.Dispose();
    }

    private void OnAlarm()
    {
        using var turn = Enter();
        _alarm.HasRung();
    }

    private Turn Enter()
    {
        Completions.Enter();
        _gate.Enter();
        try
        {
            // What is due counts as having happened, however late the alarm may be.
            var now = _broker.Time.GetTimestamp();
            _stock.HappenBy(now);
            ServeWaits(now);
            return new Turn(this, now);
        }
        catch
        {
            // The clock is the host's. If it fails, one call has failed, and not the queue.
            Unlock();
            throw;
        }
    }

    private void Exit(long now)
    {
        try
        {
            ServeWaits(now);
            _alarm.RingBy(_stock.NextDue, now);
            GoIfUnused();
        }
        finally
        {
            Unlock();
        }
    }

    // Its dead letters are told under its name.
    private void GoIfUnused()
    {
        if (_users > 0 || _isGone || !_stock.IsEmpty || _broker.Has(DeadLetters.QueueOf(Name)))
            return;

        _isGone = true;
        _alarm.Dispose();
        _broker.Forget(this);
    }

    private void Unlock()
    {
        _gate.Exit();
        Completions.Exit();
    }

    private void ServeWaits(long now)
    {
        while (_waits.Count > 0 && _stock.HasReady)
        {
            var wait = _waits[0];
            if (_stock.Take(wait.Receiver, wait.Room.Span, now) is > 0 and var taken)
            {
                _waits.RemoveAt(0);
                wait.End(taken);
            }
        }
    }

    /// <summary>One operation, from entering the lock at a moment in time to leaving it.</summary>
    private readonly ref struct Turn(InMemoryQueue queue, long now)
    {
        public long Now => now;

        public void Dispose() => queue.Exit(now);
    }
}
