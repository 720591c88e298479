namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// What this process remembers of a queue's messages where the server does not tell: how often a message came, how many we gave back,
/// which ones we have settled although their settlement may have been lost on its way, and which copies of them may be on theirs.
/// Any thread; only what does not go straight comes here.
/// </summary>
/// <param name="serverCounts">Whether the queue is known to be one that counts by itself.</param>
internal sealed class Recollection(bool serverCounts = false)
{
    private const int Most = 20_000;

    private readonly Lock _gate = new();
    private readonly Remembered<(MessageKey, int Returns), int> _counts = new(Most);
    private readonly Remembered<MessageKey, bool> _settled = new(Most);
    private readonly Remembered<(MessageKey, SettlementKind), Task> _copies = new(Most);
    private long _givenBack;
    private int _repeats;

    /// <summary>How many messages came again, by the server's count.</summary>
    public int Repeats => Volatile.Read(ref _repeats);

    /// <summary>How many deliveries we gave back by our own will: as many will the server hand out once more for no other reason.</summary>
    public long GivenBack => Volatile.Read(ref _givenBack);

    /// <summary>How often a message has been delivered, this time included.</summary>
    public int DeliveryCount(in Arrival arrival, string id)
    {
        var earlier = arrival.EarlierDeliveries;
        if (!arrival.IsRedelivered)
            return earlier + 1;

        if (serverCounts && arrival.ServerCount is > 0 and var count)
            return earlier + count + 1;

        // A quorum queue's count is another one each time. A classic queue says no more than that it is not the first time, and hands on whatever count a
        // sender may have written there: what comes again with the same one is counted here. So the type of a queue that is not ours need not be known,
        // but messages that nothing tells apart are counted as one.
        var again = (arrival.Key(id), arrival.Returns);
        lock (_gate)
        {
            var deliveries = (_counts.TryGet(again, out var before) ? before : earlier + Math.Max(arrival.ServerCount, 1)) + 1;
            _counts.Set(again, deliveries);
            return deliveries;
        }
    }

    /// <summary>These were settled, and then their channel ended before it was sure that the server knew.</summary>
    public void NoteSettled(IEnumerable<MessageKey> messages)
    {
        lock (_gate)
        {
            foreach (var message in messages)
                _settled.Set(message, true);
        }
    }

    /// <summary>
    /// A message was to end by a copy of it that is sent on, and its lease ended before the server had confirmed that. It may do so yet:
    /// then the original is settled, wherever it is.
    /// </summary>
    public void NoteUnderWay(MessageKey message, SettlementKind end, Task copy)
    {
        lock (_gate)
            _copies.Set((message, end), copy);
    }

    /// <summary>The copy that is under way, or there by now; null where there is none, or it could not be sent.</summary>
    public Task? CopyOf(MessageKey message, SettlementKind end)
    {
        lock (_gate)
            return _copies.TryGet((message, end), out var copy) && !copy.IsFaulted ? copy : null;
    }

    public void NoteRepeat() => Interlocked.Increment(ref _repeats);

    public void NoteGivenBack() => Interlocked.Increment(ref _givenBack);

    public bool IsSettled(MessageKey message)
    {
        lock (_gate)
            return _settled.TryGet(message, out _) || HasArrived(message, SettlementKind.DeadLetter) || HasArrived(message, SettlementKind.Delay);
    }

    private bool HasArrived(MessageKey message, SettlementKind end) =>
        _copies.TryGet((message, end), out var copy) && copy.IsCompletedSuccessfully;
}
