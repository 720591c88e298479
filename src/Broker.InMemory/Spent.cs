namespace Holdfast.Broker.InMemory;

/// <summary>Gives back the room that a flood of messages has left behind, once it is over.</summary>
internal static class Spent
{
    // Beyond what a queue breathes in and out from moment to moment: to grow again costs more than the room.
    private const int Large = 16_384;

    public static void TrimIfSpent(this Queue<StoredMessage> messages)
    {
        if (messages.Count == 0 && messages.Capacity > Large)
            messages.TrimExcess();
    }

    public static void TrimIfSpent<TOrder>(this PriorityQueue<StoredMessage, TOrder> messages)
    {
        if (messages.Count == 0 && messages.Capacity > Large)
            messages.TrimExcess();
    }
}
