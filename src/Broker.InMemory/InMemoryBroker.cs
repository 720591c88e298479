namespace Holdfast.Broker.InMemory;

/// <summary>The embedded broker: it keeps messages in this process's memory, behind locks, delays and dead letters like those of a real one.</summary>
/// <remarks>A message's body is handed over as it is: whoever sent it must not write to it again. Its properties are copied.</remarks>
public sealed class InMemoryBroker : IBroker
{
    private readonly Lock _gate = new();
    private readonly OrderedDictionary<string, InMemoryQueue> _queues = new(StringComparer.Ordinal);
    private readonly CancellationTokenSource _closing = new();

    public InMemoryBroker(InMemoryBrokerOptions? options = null)
    {
        Options = options ?? new();
        Options.Validate();
        Faults = new Faults(this);
    }

    public string System => "inmemory";

    public TimeProvider Time => Options.TimeProvider;

    /// <summary>What shall go wrong.</summary>
    public Faults Faults { get; }

    internal InMemoryBrokerOptions Options { get; }

    internal CancellationToken Closing => _closing.Token;

    internal bool IsClosed => _closing.IsCancellationRequested;

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) =>
        OpenAsync<IReceiver>(queue, static (broker, store) => new InMemoryReceiver(broker, store), cancel);

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) =>
        OpenAsync<ISender>(queue, static (broker, store) => new InMemorySender(broker, store), cancel);

    /// <summary>Where the messages of all queues are, in the order in which the queues came to be. One that has no message, and that nobody has open, is none.</summary>
    public IReadOnlyList<InMemoryQueueCounts> Counts() => [.. Queues().Select(queue => Counts(queue.Name))];

    /// <summary>Where the messages of one queue are: nowhere, if nobody has opened it yet.</summary>
    public InMemoryQueueCounts Counts(string queue)
    {
        var counts = Find(queue)?.Counts ?? new InMemoryQueueCounts(queue, 0, 0, 0, 0);
        return Find(DeadLetters.QueueOf(queue))?.Counts is { } dead
            ? counts with { Dead = dead.Waiting + dead.Held + dead.Delayed }
            : counts;
    }

    /// <summary>Ends all waits and forgets all messages.</summary>
    public ValueTask DisposeAsync()
    {
        if (IsClosed)
            return ValueTask.CompletedTask;

        _closing.Cancel();
        foreach (var queue in Queues())
            queue.Dispose();
        return ValueTask.CompletedTask;
    }

    internal bool Has(string queue) => Find(queue) is not null;

    internal void Send(string queue, StoredMessage message, TimeSpan delay)
    {
        while (!Open(queue).TrySend(message, delay))
        {
            // It went away between the two, and another one takes its place.
        }
    }

    /// <summary>A queue is gone. Under its lock.</summary>
    internal void Forget(InMemoryQueue gone)
    {
        lock (_gate)
        {
            if (_queues.GetValueOrDefault(gone.Name) == gone)
                _queues.Remove(gone.Name);
        }
    }

    /// <summary>Lets every queue know that the connection was cut.</summary>
    internal void Disconnect()
    {
        foreach (var queue in Queues())
            queue.Disconnect(null, Faults.ConnectionCut);
    }

    private InMemoryQueue Join(string name)
    {
        while (true)
        {
            var queue = Open(name);
            if (queue.TryJoin())
                return queue;
        }
    }

    private InMemoryQueue Open(string name)
    {
        lock (_gate)
        {
            if (!_queues.TryGetValue(name, out var queue) || queue.IsGone)
                _queues[name] = queue = new InMemoryQueue(this, name);
            return queue;
        }
    }

    private ValueTask<T> OpenAsync<T>(string queue, Func<InMemoryBroker, InMemoryQueue, T> open, CancellationToken cancel)
    {
        ArgumentException.ThrowIfNullOrEmpty(queue);
        ObjectDisposedException.ThrowIf(IsClosed, this);
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<T>(cancel);
        return Faults.IsCut
            ? ValueTask.FromException<T>(Faults.ConnectionCut())
            : new ValueTask<T>(open(this, Join(queue)));
    }

    private InMemoryQueue? Find(string name)
    {
        lock (_gate)
            return _queues.GetValueOrDefault(name);
    }

    private InMemoryQueue[] Queues()
    {
        lock (_gate)
            return [.. _queues.Values];
    }
}
