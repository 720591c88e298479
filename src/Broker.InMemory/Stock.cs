namespace Holdfast.Broker.InMemory;

/// <summary>All messages of one queue: each is ready, delayed or held. It reads no clock and has no lock: whoever calls it holds the queue's.</summary>
internal sealed class Stock(InMemoryBroker broker, string queue)
{
    private readonly ReadyMessages _ready = new();
    private readonly HeldMessages _held = new();
    private readonly DelayedMessages _delayed = new();
    private readonly InMemoryBrokerOptions _options = broker.Options;
    private readonly TimeProvider _time = broker.Time;

    public InMemoryQueueCounts Counts => new(queue, _ready.Count, _held.Count, _delayed.Count, Dead: 0);

    public bool HasReady => _ready.Count > 0;

    public bool IsEmpty => _ready.Count + _held.Count + _delayed.Count == 0;

    /// <summary>When the next lock lapses or the next delay is over.</summary>
    public long NextDue => Math.Min(_held.First?.Until ?? long.MaxValue, _delayed.NextDue);

    public void Add(StoredMessage message, TimeSpan delay, long now)
    {
        if (delay > TimeSpan.Zero)
        {
            Delay(message, delay, now);
        }
        else
        {
            message.Live(now, _time);
            _ready.Add(message);
        }
    }

    /// <summary>What is due happens, however late that is.</summary>
    public void HappenBy(long now)
    {
        while (_held.First is { } lapsed && lapsed.Until <= now)
            GiveBack(LetGo(lapsed, Renewal.Lost), TimeSpan.Zero, now);
        while (_delayed.TryTakeDue(now, out var message))
            _ready.Add(message);
    }

    /// <summary>Hands out what is ready, as far as there is room, and says how much that is.</summary>
    public int Take(InMemoryReceiver receiver, Span<Delivery> room, long now)
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

    public Renewal Renew(InMemoryDelivery delivery, long now)
    {
        if (delivery.IsHeld && broker.Faults.RefusesRenewal())
        {
            GiveBack(LetGo(delivery, Renewal.Lost), TimeSpan.Zero, now);
        }
        else if (delivery.IsHeld)
        {
            _held.Remove(delivery);
            delivery.Until = Lapse(delivery.ArrivedAt, now);
            _held.Add(delivery);
        }

        return delivery.Standing;
    }

    public bool Settle(InMemoryDelivery delivery, Settlement settlement, long now)
    {
        if (!delivery.IsHeld)
            return false;

        // First, for they are a stranger's, and may be unreadable: then the message stays held.
        if (settlement.Properties.Count > 0)
            delivery.Stored.Write(settlement.Properties);

        var message = LetGo(delivery, Renewal.Lost);
        if (settlement.Kind == SettlementKind.DeadLetter)
            Bury(message, settlement.Reason, settlement.Description);
        else if (settlement.Kind != SettlementKind.Complete)
            GiveBack(message, settlement.Wait, now);
        return true;
    }

    /// <summary>Ends the leases of one receiver, where they live with the connection; of all where it is null.</summary>
    public void Sever(InMemoryReceiver? receiver, long now)
    {
        var next = _options.ConnectionBound ? _held.First : null;
        while (next is { } delivery)
        {
            next = delivery.Next;
            if (receiver is null || delivery.Receiver == receiver)
            {
                GiveBack(LetGo(delivery, Renewal.Severed), TimeSpan.Zero, now);
                delivery.Receiver.NoteSevered();
            }
        }
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

    // Both queues' locks are held, so that the message is never in neither. The dead letter queue's name is the longer one: no circle.
    private void Bury(StoredMessage message, string? reason, string? description)
    {
        DeadLetters.Mark(message, queue, reason, description);
        broker.Send(DeadLetters.QueueOf(queue), new StoredMessage(message.Message, message.EnqueuedAt), TimeSpan.Zero);
    }
}
