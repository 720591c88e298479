namespace Holdfast.Broker.InMemory;

/// <summary>One queue of the embedded broker, open for receiving.</summary>
internal sealed class InMemoryReceiver : IReceiver
{
    private readonly InMemoryBroker _broker;
    private readonly CancellationTokenSource _end;
    private readonly CancellationToken _closing;
    private Wait? _spare;
    private volatile bool _isClosed;
    private int _epoch;

    public InMemoryReceiver(InMemoryBroker broker, InMemoryQueue store)
    {
        _broker = broker;
        Store = store;
        _end = CancellationTokenSource.CreateLinkedTokenSource(broker.Closing);
        _closing = _end.Token;
    }

    public string Queue => Store.Name;

    public bool IsConnected => Obstacle is null;

    public int Epoch => Volatile.Read(ref _epoch);

    public int RenewalBatch => 256;

    public InMemoryQueue Store { get; }

    /// <summary>Why nothing can be received, if so.</summary>
    public Exception? Obstacle =>
        _isClosed || _broker.IsClosed ? new ObjectDisposedException(nameof(InMemoryReceiver))
        : Faults.IsCut ? Faults.ConnectionCut()
        : null;

    private Faults Faults => _broker.Faults;

    // A lease that lives with the connection is known to be gone with it: no need to ask a broker that can't be reached.
    private bool IsCutOff => Faults.IsCut && !_broker.Options.ConnectionBound;

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<int>(cancel);
        return Faults.Receives.Any ? ReceiveUnderFaultsAsync(room, cancel) : Store.ReceiveAsync(this, room, cancel);
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, RenewalBatch, nameof(due));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(due.Length, outcomes.Length, nameof(due));
        foreach (var delivery in due.Span)
            Own(delivery);
        outcomes.Span[..due.Length].Clear();
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled(cancel);
        return Faults.Renewals.Any ? RenewUnderFaultsAsync(due, outcomes, cancel) : Renew(due.Span, outcomes.Span);
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        var own = Own(delivery);
        if (cancel.IsCancellationRequested)
            return ValueTask.FromCanceled<bool>(cancel);
        return Faults.Settlements.Any ? SettleUnderFaultsAsync(own, settlement, cancel) : Settle(own, settlement);
    }

    public void LetGo(Delivery delivery)
    {
        // A lock with a length ends by itself, and to the same effect. One that lives with the connection does not.
        if (_broker.Options.ConnectionBound && !_isClosed && !_broker.IsClosed)
            Store.Settle(Own(delivery), Settlement.Abandon);
    }

    public ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isClosed, true))
            return ValueTask.CompletedTask;

        _end.Cancel();
        _end.Dispose();
        Store.Disconnect(this, static () => new OperationCanceledException("The receiver was closed."));
        Store.Leave();
        return ValueTask.CompletedTask;
    }

    /// <summary>Leases have ended with the connection. Under the queue's lock.</summary>
    public void NoteSevered() => Volatile.Write(ref _epoch, _epoch + 1);

    public Wait NewWait(Memory<Delivery> room)
    {
        var wait = Interlocked.Exchange(ref _spare, null) ?? new Wait(this);
        wait.Begin(room);
        return wait;
    }

    public void Recycle(Wait wait) => _spare = wait;

    private ValueTask Renew(ReadOnlySpan<Delivery> due, Span<Renewal> outcomes)
    {
        if (IsCutOff)
            return ValueTask.FromException(Faults.ConnectionCut());
        Store.Renew(due, outcomes);
        return ValueTask.CompletedTask;
    }

    private ValueTask<bool> Settle(InMemoryDelivery delivery, Settlement settlement) =>
        IsCutOff
            ? ValueTask.FromException<bool>(Faults.ConnectionCut())
            : new ValueTask<bool>(Store.Settle(delivery, settlement));

    private async ValueTask<int> ReceiveUnderFaultsAsync(Memory<Delivery> room, CancellationToken cancel) =>
        await Faults.Receives.RunAsync(() => Store.ReceiveAsync(this, room, cancel), _closing, cancel).ConfigureAwait(false);

    private async ValueTask RenewUnderFaultsAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        var answers = await Faults.Renewals.RunAsync(
            async () =>
            {
                var answers = new Renewal[due.Length];
                await Renew(due.Span, answers).ConfigureAwait(false);
                return answers;
            },
            _closing,
            cancel).ConfigureAwait(false);
        answers.CopyTo(outcomes);
    }

    private async ValueTask<bool> SettleUnderFaultsAsync(InMemoryDelivery delivery, Settlement settlement, CancellationToken cancel) =>
        await Faults.Settlements.RunAsync(() => Settle(delivery, settlement), _closing, cancel).ConfigureAwait(false);

    private InMemoryDelivery Own(Delivery delivery) =>
        delivery is InMemoryDelivery own && own.Receiver.Store == Store
            ? own
            : throw new ArgumentException($"This delivery does not come from the queue {Queue}.", nameof(delivery));

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed || _broker.IsClosed, this);
}
