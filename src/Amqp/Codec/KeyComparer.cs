using System.Runtime.InteropServices;

namespace Holdfast.Amqp;

/// <summary>
/// Compares the keys of a map. Their hashes are mixed with a seed of this process, so that nobody can send a map
/// whose keys all meet in one bucket.
/// </summary>
internal sealed class KeyComparer : IEqualityComparer<object>
{
    public static KeyComparer Instance { get; } = new();

    public new bool Equals(object? x, object? y) =>
        x is byte[] left && y is byte[] right ? left.AsSpan().SequenceEqual(right) : object.Equals(x, y);

    public int GetHashCode(object obj) => obj switch
    {
        long number => OfBits(number),
        ulong number => OfBits(number),
        AmqpTimestamp time => OfBits(time.Milliseconds),
        double number => OfBits(BitConverter.DoubleToInt64Bits(number == 0 ? 0 : number)),
        Decimal64 number => OfBits(number.Bits),
        Decimal128 number => OfBits(number.Bits),
        Guid id => OfBits(id),
        byte[] bytes => OfBytes(bytes),
        _ => HashCode.Combine(obj.GetHashCode()),
    };

    private static int OfBits<T>(T value)
        where T : unmanaged => OfBytes(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));

    private static int OfBytes(ReadOnlySpan<byte> bytes)
    {
        var hash = new HashCode();
        hash.AddBytes(bytes);
        return hash.ToHashCode();
    }
}
