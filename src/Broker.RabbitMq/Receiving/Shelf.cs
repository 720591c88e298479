namespace Holdfast.Broker.RabbitMq;

/// <summary>What has arrived and was not taken yet, in the order of its arrival. Any thread.</summary>
internal sealed class Shelf
{
    private readonly Lock _gate = new();
    private readonly Queue<RabbitMqDelivery> _deliveries = new();
    private TaskCompletionSource? _waiting;

    public int Count => _deliveries.Count;

    /// <summary>When the first of them arrived; null where there is none.</summary>
    public long? OldestArrivedAt
    {
        get
        {
            lock (_gate)
                return _deliveries.TryPeek(out var oldest) ? oldest.ArrivedAt : null;
        }
    }

    public void Add(RabbitMqDelivery delivery)
    {
        TaskCompletionSource? waiting;
        lock (_gate)
        {
            _deliveries.Enqueue(delivery);
            (waiting, _waiting) = (_waiting, null);
        }

        waiting?.TrySetResult();
    }

    public int Take(Span<Delivery> room)
    {
        lock (_gate)
        {
            var taken = 0;
            while (taken < room.Length && _deliveries.TryDequeue(out var delivery))
                room[taken++] = delivery;
            return taken;
        }
    }

    public RabbitMqDelivery[] TakeAll()
    {
        lock (_gate)
        {
            var all = _deliveries.ToArray();
            _deliveries.Clear();
            return all;
        }
    }

    /// <summary>Completes at the next arrival, or the next <see cref="Wake"/>; at once where something is there.</summary>
    public Task WaitAsync()
    {
        lock (_gate)
        {
            // Not on the thread that brings it: that is to bring what comes behind it first, so that all of it is taken together.
            return _deliveries.Count > 0 ? Task.CompletedTask : (_waiting ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>Has whoever waits look again.</summary>
    public void Wake()
    {
        TaskCompletionSource? waiting;
        lock (_gate)
            (waiting, _waiting) = (_waiting, null);
        waiting?.TrySetResult();
    }
}
