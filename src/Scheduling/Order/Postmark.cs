using System.Numerics;

namespace Holdfast.Scheduling;

/// <summary>When work was posted, where its wait is measured, and for how many posts it then counts. In one word, for each message that waits keeps one.</summary>
internal readonly record struct Postmark
{
    // Beside the weight's logarithm there is room for decades of nanoseconds, and for a wall clock's ticks, which some clocks for tests have.
    private const int WeightBits = 4;

    private readonly long _word;

    /// <param name="at">The clock's timestamp.</param>
    /// <param name="weight">A power of two, up to <see cref="Heaviest"/>.</param>
    public Postmark(long at, int weight) => _word = (at << WeightBits) | (BitOperations.Log2((uint)weight) + 1L);

    public const int Heaviest = 1 << ((1 << WeightBits) - 2);

    public static Postmark None => default;

    public bool IsMeasured => _word != 0;

    public long At => _word >>> WeightBits;

    public int Weight => 1 << ((int)(_word & ((1 << WeightBits) - 1)) - 1);
}
