using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>A queue or subscription without sessions, open for receiving on a connection of its own, which Microsoft's client mends by itself. Any thread.</summary>
internal sealed class SdkReceiver : IReceiver
{
    // What it has taken it forgets when it is called off. So it is not, but asked for so short a time that one can wait for its end.
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(250);

    // Where even that does not end, because the broker is gone.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(2);

    private readonly Calls _calls;
    private readonly SdkLetter _letter;
    private readonly SdkSettler _settler;
    private readonly Sdk.ServiceBusClient _client;
    private readonly Sdk.ServiceBusReceiver _receiver;

    // After a busy answer the client holds back for 10 s what else one receiver asks: a lock must not wait for that.
    private readonly Sdk.ServiceBusReceiver _renewing;
    private readonly Action<IReceiver> _onClosed;
    private readonly BrokerClock _clock;
    private readonly TimeProvider _time;
    private volatile bool _isConnected;
    private volatile bool _isClosed;
    private bool _hasWorked;

    public SdkReceiver(string queue, Calls calls, Sdk.ServiceBusClient client, BrokerClock clock, TimeProvider time, Action<IReceiver> onClosed)
    {
        (Queue, _calls, _client, _clock, _time, _onClosed) = (queue, calls, client, clock, time, onClosed);
        var recollection = new Recollection();
        _letter = new SdkLetter(calls.Entity, recollection, clock, time);
        _settler = new SdkSettler(calls, recollection, clock, time, client.CreateSender(calls.Entity.Path));
        _receiver = client.CreateReceiver(calls.Entity.Path, new Sdk.ServiceBusReceiverOptions());
        _renewing = client.CreateReceiver(calls.Entity.Path, new Sdk.ServiceBusReceiverOptions());
    }

    public string Queue { get; }

    public bool IsConnected => _isConnected;

    /// <summary>Each is asked for alone; and in a batch, the answer for all would come with the last one.</summary>
    public int RenewalBatch => 1;

    /// <exception cref="BrokerException">It can't be received from.</exception>
    public async Task OpenAsync(CancellationToken cancel)
    {
        await _calls.AskAsync("peek-message", () => _receiver.PeekMessageAsync(0, cancel), cancel).ConfigureAwait(false);
        _isConnected = true;
    }

    public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        ThrowIfClosed();
        cancel.ThrowIfCancellationRequested();
        if (room.IsEmpty)
            return 0;

        while (true)
        {
            var count = TakeIn(await AskAsync(room.Length, cancel).ConfigureAwait(false), room.Span);
            if (count > 0)
                return count;
            cancel.ThrowIfCancellationRequested();
        }
    }

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        ThrowIfClosed();
        return LockRenewals.RenewAsync(due, outcomes, Own, delivery => ((SdkDelivery)delivery).IsOver, delivery => RenewAsync(delivery, cancel));
    }

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel)
    {
        ThrowIfClosed();
        return _settler.SettleAsync(_receiver, Own(delivery), settlement, cancel);
    }

    public void LetGo(Delivery delivery)
    {
        // Its lock ends by itself, and it may be settled already: nothing is better than to leave it alone.
    }

    public async ValueTask DisposeAsync()
    {
        if (_isClosed)
            return;
        _isClosed = true;
        _onClosed(this);
        await _client.DisposeAsync().ConfigureAwait(false);
    }

    private async Task<IReadOnlyList<Sdk.ServiceBusReceivedMessage>> AskAsync(int most, CancellationToken cancel)
    {
        using var enough = new CancellationTokenSource(Timeout.InfiniteTimeSpan, _time);
        using var callOff = cancel.UnsafeRegister(static enough => ((CancellationTokenSource)enough!).CancelAfter(s_grace), enough);
        var asked = _receiver.ReceiveMessagesAsync(most, s_patience, CancellationToken.None);
        try
        {
            var messages = await asked.WaitAsync(enough.Token).ConfigureAwait(false);
            ThrowIfEnded();
            _isConnected = _hasWorked = true;
            return messages;
        }
        catch (Exception problem)
        {
            _ = GiveBackAsync(asked);
            ThrowIfEnded();
            cancel.ThrowIfCancellationRequested();
            _isConnected = false;
            var told = _calls.Told(problem);

            // What has worked once may work again: somebody may be mending it just now.
            throw _hasWorked ? told.ForNow() : told;
        }
    }

    // What is still on its way when it is waited for no longer would else be locked, and with nobody.
    private async Task GiveBackAsync(Task<IReadOnlyList<Sdk.ServiceBusReceivedMessage>> late)
    {
        try
        {
            foreach (var message in await late.ConfigureAwait(false))
                await _receiver.AbandonMessageAsync(message).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Then nothing came, or its lock will end.
        }
    }

    // Those that can be read do not wait until the others are put aside.
    private int TakeIn(IReadOnlyList<Sdk.ServiceBusReceivedMessage> messages, Span<Delivery> room)
    {
        var count = 0;
        foreach (var message in messages)
        {
            if (_letter.TryRead(message, session: null, out var delivery))
                room[count++] = delivery;
            else
                _ = _settler.PutAsideAsync(_receiver, message);
        }

        return count;
    }

    private async Task<Renewal> RenewAsync(SdkDelivery delivery, CancellationToken cancel)
    {
        var askedAt = _time.GetTimestamp();
        if (delivery.IsOver || !await _calls.HoldsAsync("renew-lock", () => _renewing.RenewMessageLockAsync(delivery.Received, cancel), cancel).ConfigureAwait(false))
            return Renewal.Lost;
        delivery.Renewed(_clock, askedAt, delivery.Received.LockedUntil);
        return Renewal.Renewed;
    }

    private SdkDelivery Own(Delivery delivery) =>
        delivery is SdkDelivery own && own.Entity == _calls.Entity
            ? own
            : throw new ArgumentException($"This delivery does not come from the queue {Queue}.", nameof(delivery));

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);

    private void ThrowIfEnded()
    {
        if (_isClosed)
            throw new OperationCanceledException("The receiver was closed.");
    }
}
