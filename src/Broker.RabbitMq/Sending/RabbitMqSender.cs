namespace Holdfast.Broker.RabbitMq;

/// <summary>One queue, open for sending.</summary>
internal sealed class RabbitMqSender(string queue, Outbox outbox, TimeProvider time) : ISender
{
    private bool _isClosed;

    public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        if (delay > TimeSpan.Zero && message.TimeToLive is not null)
            throw new BrokerException("RabbitMQ forgets a message's TimeToLive while its delivery is delayed; leave one of the two out.", isTransient: false);
        if (delay > Topology.LongestWait)
            throw new BrokerException($"RabbitMQ keeps a message back for {Topology.LongestWait.Days} days at most, and this one is to come after {delay}; set a shorter delay.", isTransient: false);

        var now = time.GetUtcNow();
        return delay > TimeSpan.Zero
            ? outbox.SendLaterAsync(queue, delay, Envelope.ToWait(message, now), message.Body, outbox.Patience, cancel)
            : outbox.SendAsync(queue, Envelope.Of(message, now), message.Body, outbox.Patience, cancel);
    }

    public ValueTask DisposeAsync()
    {
        _isClosed = true;
        return ValueTask.CompletedTask;
    }
}
