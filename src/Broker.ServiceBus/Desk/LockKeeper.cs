namespace Holdfast.Broker.ServiceBus;

/// <summary>Renews the locks of what a sweep holds, well before they end, and gives back what is left in the end.</summary>
internal sealed class LockKeeper(IReceiver receiver, TimeProvider time) : IAsyncDisposable
{
    private const int RenewalsToALock = 3;

    private readonly Lock _gate = new();
    private readonly HashSet<Delivery> _held = [];
    private readonly CancellationTokenSource _end = new();
    private Task? _renewing;

    public void Hold(Delivery delivery)
    {
        lock (_gate)
        {
            _held.Add(delivery);
            _renewing ??= RenewAsync(delivery.LockDuration);
        }
    }

    public void Release(Delivery delivery)
    {
        lock (_gate)
            _held.Remove(delivery);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        if (_renewing is not null)
            await _renewing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        foreach (var batch in Held().Chunk(receiver.RenewalBatch))
            await Task.WhenAll(batch.Select(GiveBackAsync)).ConfigureAwait(false);
        _end.Dispose();
    }

    private async Task GiveBackAsync(Delivery delivery)
    {
        try
        {
            await receiver.SettleAsync(delivery, Settlement.Abandon, CancellationToken.None).ConfigureAwait(false);
        }
        catch (BrokerException)
        {
            // Its lock ends by itself.
        }
    }

    private async Task RenewAsync(TimeSpan lockDuration)
    {
        while (true)
        {
            await Task.Delay(lockDuration / RenewalsToALock, time, _end.Token).ConfigureAwait(false);
            var held = Held();
            foreach (var batch in held.Chunk(receiver.RenewalBatch))
            {
                try
                {
                    await receiver.RenewAsync(batch, new Renewal[batch.Length], _end.Token).ConfigureAwait(false);
                }
                catch (BrokerException)
                {
                    // It is tried again while the locks last; one that is lost shows when its message is completed.
                }
            }

            // Somebody may make them shorter meanwhile.
            lockDuration = held.Select(delivery => delivery.LockDuration).DefaultIfEmpty(lockDuration).Min();
        }
    }

    private Delivery[] Held()
    {
        lock (_gate)
            return [.. _held];
    }
}
