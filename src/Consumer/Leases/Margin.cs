using System.Numerics;

namespace Holdfast.Consumer;

/// <summary>
/// How long before the broker's deadline trust ends: as long as all but one in a thousand of the recent renewals took, lateness included.
/// Learns on the lease thread; may be read anywhere.
/// </summary>
internal sealed class Margin(LeaseOptions options)
{
    private const int Memory = 4096;
    private const double Share = 0.999;

    // One bucket for each power of two of microseconds: as fine as a safety margin needs, and no list of samples to keep.
    private readonly int[] _buckets = new int[40];
    private int _count;
    private long _current = options.MinMargin.Ticks;

    public TimeSpan Current => new(Volatile.Read(ref _current));

    public void Learn(TimeSpan delay)
    {
        var microseconds = (ulong)Math.Max(1, delay.Ticks / TimeSpan.TicksPerMicrosecond);
        _buckets[Math.Min(BitOperations.Log2(microseconds) + 1, _buckets.Length - 1)]++;
        if (++_count >= Memory)
            Forget();

        var margin = Math.Clamp(Quantile().Ticks, options.MinMargin.Ticks, options.MaxMargin.Ticks);
        Volatile.Write(ref _current, margin);
    }

    private TimeSpan Quantile()
    {
        var beyond = (int)(_count * (1 - Share));
        var bucket = _buckets.Length - 1;
        while (bucket > 0 && (beyond -= _buckets[bucket]) >= 0)
            bucket--;
        return TimeSpan.FromMicroseconds(1L << bucket);
    }

    // Half of what was seen long ago counts no more: the network of an hour ago says little.
    private void Forget()
    {
        _count = 0;
        for (var i = 0; i < _buckets.Length; i++)
            _count += _buckets[i] /= 2;
    }
}
