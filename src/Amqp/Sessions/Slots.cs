namespace Holdfast.Amqp;

/// <summary>Gives out the smallest free numbers, for channels and handles. Behind the gate.</summary>
internal sealed class Slots<T>
    where T : class
{
    private readonly List<T?> _taken = [];

    public T? this[uint number] => number < (uint)_taken.Count ? _taken[(int)number] : null;

    public int Count => Taken.Count();

    public IEnumerable<T> Taken => _taken.OfType<T>();

    /// <summary>False where all numbers up to the largest one are taken.</summary>
    public bool TryTake(T item, uint largest, out uint number)
    {
        var free = _taken.IndexOf(null);
        number = free >= 0 ? (uint)free : (uint)_taken.Count;
        if (number > largest)
            return false;

        if (free >= 0)
            _taken[free] = item;
        else
            _taken.Add(item);
        return true;
    }

    public void Free(uint number) => _taken[(int)number] = null;
}
