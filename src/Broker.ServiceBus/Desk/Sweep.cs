namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A pass over a queue under lock. What is not taken stays locked, so that it does not come again, until the sweep ends; so does what has come to the queue
/// since. A copy is sent before its original is completed, under a name that follows from the original: where the target drops duplicates, one that is sent
/// again after a crash is dropped.
/// </summary>
internal sealed class Sweep : ISweep
{
    private const int Batch = 100;
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_again = TimeSpan.FromMilliseconds(200);

    private readonly IReceiver _receiver;
    private readonly Outbox? _outbox;
    private readonly ManagementNode _node;
    private readonly TimeProvider _time;
    private readonly HashSet<long> _awaited;
    private readonly Queue<SweptMessage> _arrived = new();
    private readonly List<SweptMessage> _taken = [];
    private readonly Delivery[] _room = new Delivery[Batch];
    private readonly LockKeeper _locks;
    private readonly Func<Message, string?> _keyOf;
    private readonly Dictionary<string, Row> _rows = [];
    private int _wanted;

    /// <param name="receiver">The queue to go through.</param>
    /// <param name="outbox">Where what is taken goes; null where it leaves for good.</param>
    /// <param name="node">The queue's own.</param>
    /// <param name="keyOf">What of one key is taken arrives in its order.</param>
    /// <param name="awaited">The numbers of the messages that are there: no others are handed out.</param>
    /// <param name="most">How many are handed out, at most; null hands out all.</param>
    /// <param name="time">What times are told by.</param>
    public Sweep(IReceiver receiver, Outbox? outbox, ManagementNode node, Func<Message, string?> keyOf, HashSet<long> awaited, int? most, TimeProvider time)
    {
        (_receiver, _outbox, _node, _keyOf, _awaited, _time) = (receiver, outbox, node, keyOf, awaited, time);
        (Count, _wanted) = (awaited.Count, most ?? int.MaxValue);
        _locks = new LockKeeper(receiver, time);
    }

    public long? Count { get; }

    public long Deferred { get; init; }

    public long Scheduled { get; init; }

    public long Committed { get; private set; }

    private int Outstanding => Math.Min(_awaited.Count, _wanted);

    public async ValueTask<QueuedMessage?> NextAsync(CancellationToken cancel)
    {
        if (_arrived.Count == 0 && Outstanding > 0)
            await AwaitAsync(cancel).ConfigureAwait(false);
        return _arrived.TryDequeue(out var message) ? message : null;
    }

    public async ValueTask TakeAsync(QueuedMessage message, CancellationToken cancel)
    {
        if (_taken.Count == Batch)
            await CommitAsync(cancel).ConfigureAwait(false);
        _taken.Add((SweptMessage)message);
    }

    public async ValueTask CommitAsync(CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        var batch = _taken.ToArray();
        _taken.Clear();

        // From here on to the end: to call it off in between would leave copies beside their originals. All copies first, for a connection that breaks
        // takes answers to them along, and those to completions can be asked for again.
        var unsent = await Task.WhenAll(batch.Select(message => ProblemOfAsync(CopyAsync(message)))).ConfigureAwait(false);
        var copied = batch.Where((_, i) => unsent[i] is null).ToArray();
        var left = await Task.WhenAll(copied.Select(message => ProblemOfAsync(CompleteAsync(message.Delivery)))).ConfigureAwait(false);
        foreach (var message in batch.Where(message => message.Delivery.IsOver))
            _locks.Release(message.Delivery);
        Committed += left.Count(problem => problem is null);
        if (unsent.Concat(left).FirstOrDefault(problem => problem is not null) is { } first)
            throw Unfinished(first, unsent, left.Count(problem => problem is not null));

        // All have arrived: there is nothing that the next ones could be held back for.
        _rows.Clear();
    }

    /// <summary>What was not taken is given back.</summary>
    public async ValueTask DisposeAsync()
    {
        await _locks.DisposeAsync().ConfigureAwait(false);
        await _receiver.DisposeAsync().ConfigureAwait(false);
        if (_outbox is not null)
            await _outbox.DisposeAsync().ConfigureAwait(false);
    }

    private BrokerException Unfinished(BrokerException problem, BrokerException?[] unsent, int left)
    {
        var inDoubt = unsent.Any(one => one is { IsUnsent: false }) ? "; where the connection broke, or nothing was answered, some may have arrived all the same, and another call sends those once more, unless the target drops duplicates" : "";
        var ofUnsent = unsent.Count(one => one is not null) is > 0 and var count ? $" Not sent: {count:#,0}{inDoubt}." : "";
        var ofLeft = left == 0 ? ""
            : _outbox is null ? $" Not completed: {left:#,0}, which may be still there."
            : $" Sent and not completed: {left:#,0}, which may be still in '{_node.Entity}' too: another call sends those once more, unless the target drops duplicates.";
        return new(problem.Message + ofUnsent + ofLeft, problem.IsTransient, problem);
    }

    // Each by itself: a copy that is refused must not keep the originals of others, whose copies are there.
    private static async Task<BrokerException?> ProblemOfAsync(Task one)
    {
        try
        {
            await one.ConfigureAwait(false);
            return null;
        }
        catch (BrokerException problem)
        {
            return problem;
        }
    }

    private async Task CopyAsync(SweptMessage message)
    {
        if (_outbox is not null)
            await _outbox.SendAsync(Envelope.Replay(message.Delivery, _time.GetUtcNow()), RowOf(message.Message), CancellationToken.None).ConfigureAwait(false);
    }

    // What has no key has its session's order, where it has a session.
    private Row? RowOf(Message message)
    {
        if ((_keyOf(message) ?? message.SessionId) is not { } key)
            return null;
        if (!_rows.TryGetValue(key, out var row))
            _rows.Add(key, row = new Row());
        return row;
    }

    // Beside its copy the original would be a message twice. What its connection took along its lock's token completes, on the next one.
    private async Task CompleteAsync(ServiceBusDelivery delivery)
    {
        var begunAt = _time.GetTimestamp();
        while (true)
        {
            try
            {
                if (await _receiver.SettleAsync(delivery, Settlement.Complete, CancellationToken.None).ConfigureAwait(false))
                    return;
                break;
            }
            catch (BrokerException problem) when (problem.IsTransient && _time.GetElapsedTime(begunAt) < delivery.LockDuration)
            {
                await Task.Delay(s_again, _time).ConfigureAwait(false);
            }
        }

        throw new BrokerException($"Locks of '{_node.Entity}' ended too early.", isTransient: true);
    }

    private async ValueTask AwaitAsync(CancellationToken cancel)
    {
        using var enough = new CancellationTokenSource(s_silence, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancel);
        try
        {
            while (_arrived.Count == 0 && Outstanding > 0)
                await ReceiveAsync(either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            // Others hold what does not come, or have taken it; unless the broker can't be heard, which it tells by not answering.
            await _node.PeekAsync(from: 0, most: 1, cancel).ConfigureAwait(false);
        }
        finally
        {
            await Hop.ToPool();
        }
    }

    private async ValueTask ReceiveAsync(CancellationToken cancel)
    {
        var count = await _receiver.ReceiveAsync(_room.AsMemory(0, Math.Min(Batch, Outstanding)), cancel).ConfigureAwait(false);
        foreach (var delivery in _room.AsSpan(0, count))
        {
            // One that nobody awaits is held as well: given back, it would come again at once.
            var own = (ServiceBusDelivery)delivery;
            _locks.Hold(own);
            if (!_awaited.Remove(own.SequenceNumber))
                continue;
            _arrived.Enqueue(Letter.Swept(own));
            _wanted--;
        }
    }
}
