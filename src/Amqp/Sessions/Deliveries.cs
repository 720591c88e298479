namespace Holdfast.Amqp;

/// <summary>Deliveries of one direction that are not settled, by their numbers. Behind the gate.</summary>
internal sealed class Deliveries<T>
    where T : class
{
    private readonly Dictionary<uint, T> _open = [];

    public void Add(uint id, T delivery) => _open.Add(id, delivery);

    /// <summary>False where another one has that number.</summary>
    public bool TryAdd(uint id, T delivery) => _open.TryAdd(id, delivery);

    public void Remove(uint id) => _open.Remove(id);

    public T? Find(uint id) => _open.GetValueOrDefault(id);

    /// <summary>Those of a row that are here, in order. The row may be as long as the peer likes.</summary>
    public IEnumerable<(uint Id, T Delivery)> Within(uint first, uint last)
    {
        var length = unchecked(last - first);
        return length < (uint)_open.Count ? Counted(first, length) : Sorted(first, length);
    }

    /// <summary>Takes out those that belong to one link.</summary>
    public List<T> Take(Func<T, bool> belongs)
    {
        var taken = new List<T>();
        foreach (var (id, delivery) in _open)
        {
            if (!belongs(delivery))
                continue;
            taken.Add(delivery);
            _open.Remove(id);
        }

        return taken;
    }

    private IEnumerable<(uint Id, T Delivery)> Counted(uint first, uint length)
    {
        for (uint step = 0; step <= length; step++)
        {
            var id = Serial.Plus(first, step);
            if (_open.TryGetValue(id, out var delivery))
                yield return (id, delivery);
        }
    }

    private (uint Id, T Delivery)[] Sorted(uint first, uint length) =>
        [.. _open.Where(open => unchecked(open.Key - first) <= length).OrderBy(open => unchecked(open.Key - first)).Select(open => (open.Key, open.Value))];
}
