using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Worlds;

/// <summary>One connection of a worker, as the broker knows it.</summary>
internal sealed class Connection : IDisposable
{
    private readonly CancellationTokenSource _closed = new();

    public Connection(InMemoryBroker broker, string queue) => Receiver = World.Result(broker.OpenReceiverAsync(queue, CancellationToken.None));

    public IReceiver Receiver { get; }

    public CancellationToken Closed => _closed.Token;

    public bool IsClosed => _closed.IsCancellationRequested;

    public Renewal[] Renew(Delivery[] due)
    {
        var outcomes = new Renewal[due.Length];
        World.Await(Receiver.RenewAsync(due, outcomes, CancellationToken.None));
        return outcomes;
    }

    public bool Settle(Delivery delivery, Settlement settlement) => World.Result(Receiver.SettleAsync(delivery, settlement, CancellationToken.None));

    /// <summary>Ends its waits first, and then, where they live with it, the leases.</summary>
    public void Dispose()
    {
        if (IsClosed)
            return;
        _closed.Cancel();
        World.Await(Receiver.DisposeAsync());
    }
}
