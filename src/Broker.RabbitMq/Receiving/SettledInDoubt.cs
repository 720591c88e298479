namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// The messages of one channel that we have settled and that the server may not know of: an acknowledgement has no answer.
/// Two answered pulses after it, it is known to be there, and to have been there long enough to be on disk. Any thread.
/// </summary>
internal sealed class SettledInDoubt
{
    private const int Generations = 3;

    private readonly Lock _gate = new();
    private readonly List<MessageKey>[] _generations = [[], [], []];
    private readonly HashSet<MessageKey> _taken = [];
    private int _newest;

    /// <summary>How many have been settled since the last pulse.</summary>
    public int SincePulse => _generations[_newest].Count;

    public bool IsEmpty
    {
        get
        {
            lock (_gate)
                return Array.TrueForAll(_generations, generation => generation.Count == 0);
        }
    }

    /// <summary>How many were still in doubt when they were taken.</summary>
    public int Taken
    {
        get
        {
            lock (_gate)
                return _taken.Count;
        }
    }

    public void Add(MessageKey message)
    {
        lock (_gate)
            _generations[_newest].Add(message);
    }

    /// <summary>A pulse is about to be sent; the one before it was answered.</summary>
    public void BeginPulse()
    {
        lock (_gate)
        {
            _newest = (_newest + 1) % Generations;
            _generations[_newest].Clear();
        }
    }

    /// <summary>Takes all, once there is nobody left to ask.</summary>
    public IReadOnlyList<MessageKey> TakeAll()
    {
        lock (_gate)
        {
            var all = _generations.SelectMany(generation => generation).ToList();
            foreach (var generation in _generations)
                generation.Clear();
            _taken.UnionWith(all);
            return all;
        }
    }
}
