namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// What this process remembers of a queue's messages where the server does not tell: how often a message came, how many we gave back,
/// and which ones we have settled although their settlement may have been lost on its way. Any thread; only what does not go straight comes here.
/// </summary>
internal sealed class Recollection
{
    private const int Most = 20_000;

    private readonly Lock _gate = new();
    private readonly Remembered<MessageKey, int> _counts = new(Most);
    private readonly Remembered<MessageKey, bool> _settled = new(Most);
    private long _givenBack;

    /// <summary>How many deliveries we gave back by our own will: as many will the server hand out once more for no other reason.</summary>
    public long GivenBack => Volatile.Read(ref _givenBack);

    /// <summary>How often a message has been delivered, this time included.</summary>
    public int DeliveryCount(in Arrival arrival, string id)
    {
        var earlier = arrival.EarlierDeliveries;
        if (arrival.ServerCount is { } count and > 0)
            return earlier + count + 1;
        if (!arrival.IsRedelivered)
            return earlier + 1;

        // A classic queue says no more than that it is not the first time.
        var key = arrival.Key(id);
        lock (_gate)
        {
            var deliveries = (_counts.TryGet(key, out var before) ? before : earlier + 1) + 1;
            _counts.Set(key, deliveries);
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

    public void NoteGivenBack() => Interlocked.Increment(ref _givenBack);

    public bool IsSettled(MessageKey message)
    {
        lock (_gate)
            return _settled.TryGet(message, out _);
    }
}
