using Holdfast.Broker;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>All that happened in a world, in its order.</summary>
internal sealed class EventLog(VirtualTime time, List<Event> events)
{
    private readonly Dictionary<(int Message, int Count), int> _deliveries = [];

    /// <summary>How many messages the broker has forgotten, because they were handled.</summary>
    public int Completed { get; private set; }

    public void Add(EventKind kind, int life = -1, int message = -1, int delivery = -1, long a = -1, long b = -1, int queue = -1) =>
        events.Add(new(time.GetTimestamp(), kind, (short)life, (short)message, (short)queue, delivery, a, b));

    public void Add(EventKind kind, int life, Delivery delivery, long a = -1, long b = -1) =>
        Add(kind, life, MessageOf(delivery.Message), NumberOf(MessageOf(delivery.Message), delivery.DeliveryCount), a, b);

    public void SettledAtBroker(int life, Delivery delivery, Settlement settlement, bool isTaken)
    {
        Add(EventKind.SettledAtBroker, life, delivery, (long)settlement.Kind, isTaken ? 1 : 0);
        if (isTaken && settlement.Kind == SettlementKind.Complete)
            Completed++;
    }

    public static int MessageOf(Message message) => int.Parse(message.Subject!);

    /// <summary>A message is never handed out twice with the same count.</summary>
    public int NumberOf(int message, int count)
    {
        if (!_deliveries.TryGetValue((message, count), out var number))
            _deliveries.Add((message, count), number = _deliveries.Count);
        return number;
    }
}
