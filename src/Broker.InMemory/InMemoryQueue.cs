namespace Holdfast.Broker.InMemory;

/// <summary>One queue: each of its messages is ready, delayed or held, and receivers may wait for it. One short lock guards all.</summary>
internal sealed class InMemoryQueue : IDisposable
{
    private readonly Lock _gate = new();
    private readonly ReadyMessages _ready = new();
    private readonly HeldMessages _held = new();
    private readonly DelayedMessages _delayed = new();
    private readonly List<Wait> _waits = [];
    private readonly InMemoryBroker _broker;
    private readonly InMemoryBrokerOptions _options;
    private readonly TimeProvider _time;
    private readonly Alarm _alarm;
    private int _users;
    private volatile bool _isGone;

    public InMemoryQueue(InMemoryBroker broker, InMemoryBrokerOptions options, string name)
    {
        _broker = broker;
        _options = options;
        _time = options.TimeProvider;
        Name = name;
        _alarm = new Alarm(_time, OnAlarm);
    }

    public string Name { get; }

    /// <summary>Whether the broker has forgotten it, for it had nothing and nobody. Another one has its name, or will.</summary>
    public bool IsGone => _isGone;

    public InMemoryQueueCounts Counts
    {
        get
        {
            using var turn = Enter();
            return new InMemoryQueueCounts(Name, _ready.Count, _held.Count, _delayed.Count, Dead: 0);
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

        if (delay > TimeSpan.Zero)
        {
            Delay(message, delay, turn.Now);
        }
        else
        {
            message.Live(turn.Now, _time);
            _ready.Add(message);
        }

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
            var taken = Take(receiver, room.Span, turn.Now);
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
        {
            var delivery = (InMemoryDelivery)due[i];
            if (delivery.IsHeld && _broker.Faults.RefusesRenewal())
            {
                GiveBack(LetGo(delivery, Renewal.Lost), TimeSpan.Zero, turn.Now);
            }
            else if (delivery.IsHeld)
            {
                _held.Remove(delivery);
                delivery.Until = Lapse(delivery.ArrivedAt, turn.Now);
                _held.Add(delivery);
            }

            outcomes[i] = delivery.Standing;
        }
    }

    public bool Settle(InMemoryDelivery delivery, Settlement settlement)
    {
        using var turn = Enter();
        if (!delivery.IsHeld)
            return false;

        // First, for they are a stranger's, and may be unreadable: then the message stays held.
        if (settlement.Properties.Count > 0)
            delivery.Stored.Write(settlement.Properties);

        var message = LetGo(delivery, Renewal.Lost);
        if (settlement.Kind == SettlementKind.DeadLetter)
            Bury(message, settlement.Reason, settlement.Description);
        else if (settlement.Kind != SettlementKind.Complete)
            GiveBack(message, settlement.Wait, turn.Now);
        return true;
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

        var next = _options.ConnectionBound ? _held.First : null;
        while (next is { } delivery)
        {
            next = delivery.Next;
            if (receiver is null || delivery.Receiver == receiver)
            {
                GiveBack(LetGo(delivery, Renewal.Severed), TimeSpan.Zero, turn.Now);
                delivery.Receiver.NoteSevered();
            }
        }
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
            var now = _time.GetTimestamp();
            HappenBy(now);
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
            _alarm.RingBy(Math.Min(_held.First?.Until ?? long.MaxValue, _delayed.NextDue), now);
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
        if (_users > 0 || _isGone || _ready.Count + _held.Count + _delayed.Count > 0 || _broker.Has(DeadLetters.QueueOf(Name)))
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

    // What is due counts as having happened, however late the alarm may be.
    private void HappenBy(long now)
    {
        while (_held.First is { } lapsed && lapsed.Until <= now)
            GiveBack(LetGo(lapsed, Renewal.Lost), TimeSpan.Zero, now);
        while (_delayed.TryTakeDue(now, out var message))
            _ready.Add(message);
        ServeWaits(now);
    }

    private void ServeWaits(long now)
    {
        while (_waits.Count > 0 && _ready.Count > 0)
        {
            var wait = _waits[0];
            if (Take(wait.Receiver, wait.Room.Span, now) is > 0 and var taken)
            {
                _waits.RemoveAt(0);
                wait.End(taken);
            }
        }
    }

    private int Take(InMemoryReceiver receiver, Span<Delivery> room, long now)
    {
        var taken = 0;
        var until = Lapse(now, now);
        while (taken < room.Length && _ready.TryTake(out var message))
        {
            if (message.DiesAt <= now)
            {
                Bury(message, DeadLetters.Expired, $"Waited longer than its time to live of {message.Life}.");
                continue;
            }

            message.DeliveryCount++;
            var delivery = new InMemoryDelivery(receiver, message, now, _options) { Until = until };
            _held.Add(delivery);
            room[taken++] = delivery;
        }

        return taken;
    }

    private long Lapse(long arrivedAt, long renewedAt)
    {
        var lapse = _options.ConnectionBound ? long.MaxValue : _time.After(renewedAt, _options.LockDuration);
        return _options.HoldLimit is { } limit ? Math.Min(lapse, _time.After(arrivedAt, limit)) : lapse;
    }

    private StoredMessage LetGo(InMemoryDelivery delivery, Renewal standing)
    {
        _held.Remove(delivery);
        delivery.Standing = standing;
        return delivery.Stored;
    }

    private void GiveBack(StoredMessage message, TimeSpan wait, long now)
    {
        if (message.DeliveryCount >= _options.MaxDeliveries)
            Bury(message, DeadLetters.MaxDeliveries, $"Delivered {message.DeliveryCount} times and never settled for good.");
        else if (wait > TimeSpan.Zero)
            Delay(message, wait, now);
        else
            _ready.Add(message);
    }

    private void Delay(StoredMessage message, TimeSpan wait, long now)
    {
        var due = _time.After(now, wait);
        message.Live(due, _time);
        _delayed.Add(message, due);
    }

    // Both locks are held, so that the message is never in neither queue. The dead letter queue's name is the longer one: no circle.
    private void Bury(StoredMessage message, string? reason, string? description)
    {
        DeadLetters.Mark(message, Name, reason, description);
        _broker.Send(DeadLetters.QueueOf(Name), new StoredMessage(message.Message, message.EnqueuedAt), TimeSpan.Zero);
    }

    /// <summary>One operation, from entering the lock at a moment in time to leaving it.</summary>
    private readonly ref struct Turn(InMemoryQueue queue, long now)
    {
        public long Now => now;

        public void Dispose() => queue.Exit(now);
    }
}
