namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// The deliveries of one channel that came again, by the server's count, and are in hand. A quorum queue that loses sight of the channel's node takes back
/// what it had given it, and may give it the same messages once more, while the channel lives: then an earlier delivery of one is no longer ours. Any thread.
/// </summary>
internal sealed class Repeats
{
    private readonly Lock _gate = new();
    private readonly Dictionary<MessageKey, RabbitMqDelivery> _newest = [];
    private volatile bool _areAny;

    public void Add(RabbitMqDelivery repeat)
    {
        lock (_gate)
        {
            _newest[repeat.Key] = repeat;
            _areAny = true;
        }
    }

    /// <summary>It is out of our hands; what it came instead of has been found by then.</summary>
    public void Remove(RabbitMqDelivery repeat)
    {
        lock (_gate)
        {
            if (_newest.TryGetValue(repeat.Key, out var newest) && newest == repeat)
                _newest.Remove(repeat.Key);
            _areAny = _newest.Count > 0;
        }
    }

    /// <summary>Whether the message has come again since.</summary>
    public bool Replace(RabbitMqDelivery delivery)
    {
        if (!_areAny)
            return false;
        lock (_gate)
            return _newest.TryGetValue(delivery.Key, out var newest) && newest.IsAgain(delivery);
    }
}
