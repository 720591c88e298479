namespace Holdfast.Scheduling;

/// <summary>
/// The right to run items: there are as many seats as threads may run at once. A thread that blocks loses its seat to a spare one.
/// </summary>
internal sealed class Seat(int index)
{
    /// <summary>Its place among the idle bits.</summary>
    public ulong Bit { get; } = 1UL << index;

    public Bell Wake { get; } = new();
}
