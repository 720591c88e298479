namespace Holdfast.Broker.ServiceBus;

/// <summary>Which part of its entity keeps a message, where that has several: the broker counts in each, and marks the count with its own number in front.</summary>
internal static class Partition
{
    private const int Shift = 48;

    // A count is never below zero.
    private const long Last = long.MaxValue >> Shift;

    public static long Of(long sequenceNumber) => (long)((ulong)sequenceNumber >> Shift);

    /// <summary>The first number that a message of the next part may have; null behind the last one.</summary>
    public static long? Next(long sequenceNumber) => Of(sequenceNumber) is < Last and var part ? (part + 1) << Shift : null;
}
