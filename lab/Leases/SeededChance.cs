namespace Holdfast.Lab.Leases;

/// <summary>Numbers from 0 to 1 that follow from a seed. Any thread.</summary>
internal sealed class SeededChance(int seed)
{
    private readonly Lock _gate = new();
    private readonly Random _random = new(seed);

    public double Next()
    {
        lock (_gate)
            return _random.NextDouble();
    }
}
