namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A pass over a queue under lock. What is not taken stays locked, so that it does not come again, until the sweep ends. A copy is sent before its original
/// is completed, under a name that follows from the original: where the target drops duplicates, one that is sent again after a crash is dropped.
/// </summary>
internal sealed class Sweep : ISweep
{
    private const int Batch = 100;
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(1);

    private readonly IReceiver _receiver;
    private readonly Outbox? _outbox;
    private readonly Desk _desk;
    private readonly TimeProvider _time;
    private readonly DateTimeOffset _begunAt;
    private readonly Queue<SweptMessage> _arrived = new();
    private readonly List<SweptMessage> _taken = [];
    private readonly Delivery[] _room = new Delivery[Batch];
    private readonly LockKeeper _locks;
    private long _last;

    public Sweep(IReceiver receiver, Outbox? outbox, Desk desk, TimeProvider time)
    {
        (_receiver, _outbox, _desk, _time) = (receiver, outbox, desk, time);
        _begunAt = time.GetUtcNow();
        _locks = new LockKeeper(receiver, time);
    }

    public long? Count => null;

    public long Committed { get; private set; }

    public async ValueTask<QueuedMessage?> NextAsync(CancellationToken cancel)
    {
        while (true)
        {
            if (_arrived.TryDequeue(out var message))
            {
                if (!IsOfThisSweep(message))
                    return message;
            }
            else if (!await ReceiveAsync(cancel).ConfigureAwait(false) && await IsAtEndAsync(cancel).ConfigureAwait(false))
            {
                return null;
            }
        }
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

        // From here on to the end: to call it off in between would leave copies beside their originals.
        if (_outbox is not null)
            await Task.WhenAll(batch.Select(message => _outbox.SendAsync(Envelope.Replay(message.Delivery, _time.GetUtcNow()), CancellationToken.None).AsTask())).ConfigureAwait(false);
        var ends = await Task.WhenAll(batch.Select(message => _receiver.SettleAsync(message.Delivery, Settlement.Complete, CancellationToken.None).AsTask())).ConfigureAwait(false);
        foreach (var message in batch)
            _locks.Release(message.Delivery);
        Committed += ends.Count(isDone => isDone);
        if (ends.Count(isDone => !isDone) is > 0 and var lost)
            throw new BrokerException($"The locks of {lost} messages of '{_desk.Entity}' ended before they could be completed: {(_outbox is null ? "they are still there" : "they were sent, and are still there too")}.", isTransient: true);
    }

    /// <summary>What was not taken is given back.</summary>
    public async ValueTask DisposeAsync()
    {
        await _locks.DisposeAsync().ConfigureAwait(false);
        await _receiver.DisposeAsync().ConfigureAwait(false);
        if (_outbox is not null)
            await _outbox.DisposeAsync().ConfigureAwait(false);
    }

    private async ValueTask<bool> ReceiveAsync(CancellationToken cancel)
    {
        using var enough = new CancellationTokenSource(s_silence, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancel);
        try
        {
            var count = await _receiver.ReceiveAsync(_room, either.Token).ConfigureAwait(false);
            await Hop.ToPool();
            foreach (var delivery in _room.AsSpan(0, count))
            {
                var own = (ServiceBusDelivery)delivery;
                _locks.Hold(own);
                _arrived.Enqueue(Letter.Swept(own));
                _last = Math.Max(_last, own.SequenceNumber);
            }

            return count > 0;
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            return false;
        }
    }

    // What was sent by this very sweep and has died again would go round for ever.
    private bool IsOfThisSweep(SweptMessage message) =>
        message.Message.Properties.GetValueOrDefault(ReplayProperties.ReplayedAt) is long at && at >= _begunAt.ToUnixTimeMilliseconds();

    private async ValueTask<bool> IsAtEndAsync(CancellationToken cancel) =>
        (await _desk.PeekAsync(_last + 1, most: 1, session: null, cancel).ConfigureAwait(false)).Count == 0;
}
