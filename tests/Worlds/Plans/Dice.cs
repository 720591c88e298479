namespace Holdfast.Tests.Worlds;

/// <summary>Chance, for those who plan worlds.</summary>
internal sealed class Dice(int seed)
{
    private readonly Random _random = new(seed);

    /// <summary>True once in so many times.</summary>
    public bool OneIn(int times) => _random.Next(times) == 0;

    public int Between(int least, int most) => _random.Next(least, most + 1);

    public T Of<T>(params ReadOnlySpan<T> choices) => choices[_random.Next(choices.Length)];

    /// <summary>Up to so many milliseconds; short ones as often as long ones.</summary>
    public TimeSpan Milliseconds(double least, double most) => TimeSpan.FromMilliseconds(Math.Round(least * Math.Pow(most / least, _random.NextDouble()), 1));

    /// <summary>Any moment of a time, all alike.</summary>
    public TimeSpan Within(TimeSpan time) => TimeSpan.FromMilliseconds(Math.Round(time.TotalMilliseconds * _random.NextDouble(), 1));
}
