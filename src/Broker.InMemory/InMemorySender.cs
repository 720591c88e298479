namespace Holdfast.Broker.InMemory;

/// <summary>One queue of the embedded broker, open for sending.</summary>
internal sealed class InMemorySender(InMemoryBroker broker, InMemoryQueue store) : ISender
{
    private bool _isClosed;

    public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        ObjectDisposedException.ThrowIf(_isClosed || broker.IsClosed, this);
        ArgumentNullException.ThrowIfNull(message);
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled(cancel);
        return broker.Faults.Sends.Any ? SendUnderFaultsAsync(message, delay, cancel) : Send(message, delay);
    }

    public ValueTask DisposeAsync()
    {
        if (!Interlocked.Exchange(ref _isClosed, true))
            store.Leave();
        return ValueTask.CompletedTask;
    }

    private ValueTask Send(Message message, TimeSpan delay)
    {
        if (broker.Faults.IsCut)
            return ValueTask.FromException(Faults.ConnectionCut());
        var stored = new StoredMessage(StoredMessage.Snapshot(message), broker.Options.TimeProvider.GetUtcNow()) { Life = message.TimeToLive };

        // A slow one may arrive when its sender has left, and the queue with it.
        if (!store.TrySend(stored, delay))
            broker.Send(store.Name, stored, delay);
        return ValueTask.CompletedTask;
    }

    private async ValueTask SendUnderFaultsAsync(Message message, TimeSpan delay, CancellationToken cancel) =>
        await broker.Faults.Sends.RunAsync(
            async () =>
            {
                await Send(message, delay).ConfigureAwait(false);
                return true;
            },
            broker.Closing,
            cancel).ConfigureAwait(false);
}
