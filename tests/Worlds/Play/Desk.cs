using System.Text;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Worlds;

/// <summary>One queue's broker, and its side of the counter: it sends, takes back by force, and counts what is left.</summary>
internal sealed class Desk : IDisposable
{
    private readonly int _number;
    private readonly BrokerPlan _plan;
    private readonly EventLog _log;
    private readonly ISender _sender;
    private readonly IReceiver _receiver;
    private readonly List<(Delivery Delivery, int Life)> _out = [];

    public Desk(int number, BrokerPlan plan, TimeProvider time, EventLog log)
    {
        _number = number;
        _plan = plan;
        _log = log;
        Broker = new InMemoryBroker(new()
        {
            TimeProvider = time,
            LockDuration = plan.Lock,
            HoldLimit = plan.HoldLimit,
            ConnectionBound = plan.IsConnectionBound,
            MaxDeliveries = plan.MaxDeliveries,
        });
        _sender = World.Result(Broker.OpenSenderAsync(Queue, CancellationToken.None));
        _receiver = World.Result(Broker.OpenReceiverAsync(Queue, CancellationToken.None));
    }

    public InMemoryBroker Broker { get; }

    public string Queue => NameOf(_number);

    /// <summary>How many messages the broker itself has put aside, together with those that workers have.</summary>
    public int Dead => Broker.Counts(Queue).Dead;

    public static string NameOf(int queue) => $"queue-{queue}";

    public void Send(int number, WorldPlan plan)
    {
        _log.Add(EventKind.Sent, message: number);
        var message = plan.Messages[number];
        var sent = new Message
        {
            Id = message.Id ?? $"{number}",
            Subject = $"{number}",
            Body = Encoding.ASCII.GetBytes($"{number}" + new string('.', message.Size)),
            Priority = message.Priority,
            SessionId = plan.KeyOf(number) is (_, var key) ? $"{key}" : null,
        };
        World.Await(_sender.SendAsync(sent, TimeSpan.Zero, CancellationToken.None));
    }

    public void HandedOut(int life, ReadOnlySpan<Delivery> deliveries)
    {
        foreach (var delivery in deliveries)
            _out.Add((delivery, life));
    }

    public void HandedBack(Delivery delivery) => _out.RemoveAll(held => held.Delivery == delivery);

    /// <summary>Takes messages back from those who hold them.</summary>
    public void Revoke(int most)
    {
        foreach (var (delivery, life) in _out.ToArray())
        {
            if (most == 0)
                return;
            _out.Remove((delivery, life));
            if (!World.Result(_receiver.SettleAsync(delivery, Settlement.Abandon, CancellationToken.None)))
                continue;
            _log.Add(EventKind.Revoked, life, delivery);
            most--;
        }
    }

    /// <summary>One life's connection is about to go, and what it holds with it, where leases live with connections.</summary>
    public void Sever(int life)
    {
        if (!_plan.IsConnectionBound)
            return;
        foreach (var (delivery, _) in _out.Where(held => held.Life == life))
            _log.Add(EventKind.Revoked, life, delivery, 1);
        _out.RemoveAll(held => held.Life == life);
    }

    public void TakeStock()
    {
        Find(Queue, EventKind.FoundWaiting);
        Find(DeadLetters.QueueOf(Queue), EventKind.FoundDead);
    }

    public void Dispose() => World.Await(Broker.DisposeAsync());

    private void Find(string queue, EventKind kind)
    {
        var waiting = Broker.Counts(queue).Waiting;
        if (waiting == 0)
            return;

        var room = new Delivery[waiting];
        var receiver = World.Result(Broker.OpenReceiverAsync(queue, CancellationToken.None));
        foreach (var delivery in room.AsSpan(0, World.Result(receiver.ReceiveAsync(room, CancellationToken.None))))
            _log.Add(kind, -1, delivery, delivery.DeliveryCount);
    }
}
