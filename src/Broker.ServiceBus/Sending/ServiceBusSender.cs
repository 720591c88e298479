namespace Holdfast.Broker.ServiceBus;

/// <summary>A queue or topic, open for sending. It completes on the thread pool.</summary>
internal sealed class ServiceBusSender(Outbox outbox, BrokerClock clock) : ISender
{
    private bool _isClosed;

    public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        return outbox.SendAsync(Envelope.Of(message, clock.Now, delay > TimeSpan.Zero ? clock.After(delay) : null), cancel);
    }

    public ValueTask DisposeAsync()
    {
        _isClosed = true;
        return outbox.DisposeAsync();
    }
}
