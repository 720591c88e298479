using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>An embedded broker with one queue, worked by hand: whatever should end at once is asked for its result at once.</summary>
internal sealed class Desk
{
    public Desk(Action<InMemoryBrokerOptions>? configure = null)
    {
        Options = new InMemoryBrokerOptions { TimeProvider = Time };
        configure?.Invoke(Options);
        Broker = new InMemoryBroker(Options);
        Sender = Now(Broker.OpenSenderAsync("orders", default));
        Receiver = Open();
    }

    public VirtualTime Time { get; } = new();

    public InMemoryBrokerOptions Options { get; }

    public InMemoryBroker Broker { get; }

    public ISender Sender { get; }

    public IReceiver Receiver { get; }

    public InMemoryQueueCounts Counts => Broker.Counts("orders");

    public static T Now<T>(ValueTask<T> task)
    {
        Assert.True(task.IsCompleted, "This should have ended at once.");
        return task.GetAwaiter().GetResult();
    }

    public static void Now(ValueTask task)
    {
        Assert.True(task.IsCompleted, "This should have ended at once.");
        task.GetAwaiter().GetResult();
    }

    public IReceiver Open(string queue = "orders") => Now(Broker.OpenReceiverAsync(queue, default));

    public void Send(params string[] ids)
    {
        foreach (var id in ids)
            Send(id, 0);
    }

    public void Send(string id, byte priority, double delay = 0) =>
        Now(Sender.SendAsync(new Message { Id = id, Priority = priority }, TimeSpan.FromSeconds(delay), default));

    public Delivery[] Take(int room, IReceiver? receiver = null)
    {
        var deliveries = new Delivery[room];
        return deliveries[..Now((receiver ?? Receiver).ReceiveAsync(deliveries, default))];
    }

    public Delivery Take() => Take(1)[0];

    public string[] TakeIds(int room) => [.. Take(room).Select(delivery => delivery.Message.Id)];

    /// <summary>A receive of one message, begun and perhaps waiting.</summary>
    public async Task<Delivery> WaitAsync(IReceiver? receiver = null, CancellationToken cancel = default)
    {
        var room = new Delivery[1];
        await (receiver ?? Receiver).ReceiveAsync(room, cancel);
        return room[0];
    }

    public bool Settle(Delivery delivery, Settlement settlement) => Now(Receiver.SettleAsync(delivery, settlement, default));

    public bool Complete(Delivery delivery) => Settle(delivery, Settlement.Complete);

    public Renewal[] Renew(params Delivery[] due)
    {
        var outcomes = new Renewal[due.Length];
        Now(Receiver.RenewAsync(due, outcomes, default));
        return outcomes;
    }

    public void Pass(double seconds) => Time.Advance(TimeSpan.FromSeconds(seconds));
}
