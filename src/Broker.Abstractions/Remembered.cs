using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Broker;

/// <summary>A dictionary that forgets what it learnt first once it is full: what a broker remembers of messages that may or may not come again.</summary>
internal sealed class Remembered<TKey, TValue>(int most)
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _values = [];
    private readonly Queue<TKey> _order = new();

    public void Set(TKey key, TValue value)
    {
        if (!_values.TryAdd(key, value))
        {
            _values[key] = value;
            return;
        }

        _order.Enqueue(key);
        if (_order.Count > most)
            _values.Remove(_order.Dequeue());
    }

    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value) => _values.TryGetValue(key, out value);
}
