using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Broker.InMemory;

/// <summary>The messages that are kept back until their time comes; among equals in the order they were put here.</summary>
internal sealed class DelayedMessages
{
    private readonly PriorityQueue<StoredMessage, (long Due, long Order)> _messages = new();
    private long _order;

    public int Count => _messages.Count;

    public long NextDue => _messages.TryPeek(out _, out var key) ? key.Due : long.MaxValue;

    public void Add(StoredMessage message, long due) => _messages.Enqueue(message, (due, _order++));

    public bool TryTakeDue(long now, [MaybeNullWhen(false)] out StoredMessage message)
    {
        message = null;
        if (NextDue > now || !_messages.TryDequeue(out message, out _))
            return false;
        _messages.TrimIfSpent();
        return true;
    }
}
