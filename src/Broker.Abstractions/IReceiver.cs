namespace Holdfast.Broker;

/// <summary>
/// One queue, open for receiving. It mends its own connection: after a transient failure the next call tries again.
/// Its methods may be called at the same time, and complete wherever the broker's answer arrives.
/// Disposing it ends its waits with an <see cref="OperationCanceledException"/>; what it has handed over and was not settled stays the broker's.
/// </summary>
public interface IReceiver : IAsyncDisposable
{
    /// <summary>The queue's name, as configured.</summary>
    string Queue { get; }

    /// <summary>Whether the broker can be reached right now.</summary>
    bool IsConnected { get; }

    /// <summary>
    /// A number that changes when leases have ended with the connection, channel or session that they lived with, or may have because their messages came again,
    /// before anything else is handed over: their deliveries say which (<see cref="Delivery.Fate"/>). Always the same where leases live by themselves.
    /// </summary>
    int Epoch => 0;

    /// <summary>
    /// What keeps a part of this queue's work from being done, or soon all of it, while messages still come: in sentences for the person on call, that say which.
    /// Null where nothing does.
    /// </summary>
    string? Obstacle => null;

    /// <summary>
    /// Once it is disposed: that the broker may not have heard of all that was settled, in sentences for the person on call. Null where it surely has,
    /// as where it answers to each settlement.
    /// </summary>
    string? Unheard => null;

    /// <summary>How many leases one renewal request may carry.</summary>
    int RenewalBatch { get; }

    /// <summary>
    /// Takes as many messages as are there, but no more than there is room for, and waits for the first one; without room it returns 0 at once.
    /// Either hands over what it took and returns how many, or throws having taken nothing: never both.
    /// </summary>
    /// <exception cref="OperationCanceledException">The wait was called off; nothing was taken.</exception>
    /// <exception cref="BrokerException">The broker failed; nothing was taken. For as long as it wants to be left in peace (<see cref="BrokerException.RetryAfter"/>), the engine takes nothing.</exception>
    ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel);

    /// <summary>
    /// Renews the leases of all that are <paramref name="due"/>, in one request where the broker has one for it, and fills in what became of each:
    /// <see cref="Renewal.Unknown"/> where no answer came, <see cref="Renewal.Lost"/> also for one that is settled already.
    /// Without an answer it is called off once none of them is held any more, and must come back soon then: until it does it keeps all of those messages.
    /// </summary>
    /// <exception cref="BrokerException">The broker failed; what became of them is unknown.</exception>
    ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel);

    /// <summary>
    /// Settles a delivery. False where its lease was lost, or the delivery settled, before. It must come back soon after it is called off, whatever the broker does:
    /// until then its message takes a slot, and those of its key wait for it.
    /// </summary>
    /// <exception cref="OperationCanceledException">It was called off; whether it settled is unknown.</exception>
    /// <exception cref="BrokerException">The broker failed; whether it settled is unknown.</exception>
    ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel);

    /// <summary>
    /// The engine no longer trusts this lease and will not settle it, though a settlement that failed may have reached the broker.
    /// A broker whose locks do not end by themselves gives the message back. Neither waits nor throws; what is gone already is left alone.
    /// </summary>
    void LetGo(Delivery delivery);
}
