using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Broker.InMemory;

/// <summary>The messages that wait to be received: the most urgent first, and among equals in the order of their sending.</summary>
internal sealed class ReadyMessages
{
    private readonly List<Rank> _ranks = [];
    private long _nextPlace;

    public int Count { get; private set; }

    public void Add(StoredMessage message)
    {
        var rank = RankOf(message.Message.Priority);
        if (message.DeliveryCount == 0)
        {
            message.Place = _nextPlace++;
            rank.New.Enqueue(message);
        }
        else
        {
            rank.GivenBack.Enqueue(message, message.Place);
        }

        Count++;
    }

    public bool TryTake([MaybeNullWhen(false)] out StoredMessage message)
    {
        message = null;
        if (Count == 0)
            return false;

        foreach (var rank in _ranks)
        {
            if (rank.TryTake(out message))
                break;
        }

        Count--;
        return message is not null;
    }

    private Rank RankOf(byte priority)
    {
        var index = 0;
        while (index < _ranks.Count && _ranks[index].Priority > priority)
            index++;
        if (index == _ranks.Count || _ranks[index].Priority != priority)
            _ranks.Insert(index, new Rank(priority));
        return _ranks[index];
    }

    /// <summary>The waiting messages of one priority.</summary>
    private sealed class Rank(byte priority)
    {
        public byte Priority { get; } = priority;

        public Queue<StoredMessage> New { get; } = new();

        public PriorityQueue<StoredMessage, long> GivenBack { get; } = new();

        // Whatever was given back had left before those which never did: it is in front of all of them.
        public bool TryTake([MaybeNullWhen(false)] out StoredMessage message)
        {
            if (GivenBack.TryDequeue(out message, out _))
            {
                GivenBack.TrimIfSpent();
                return true;
            }

            if (!New.TryDequeue(out message))
                return false;
            New.TrimIfSpent();
            return true;
        }
    }
}
