namespace Holdfast.Consumer;

/// <summary>The last leases that were lost, kept for whoever asks later. Any thread.</summary>
internal sealed class RecentMisses
{
    public const int Most = 50;

    // A hostile id must not be kept at its full length.
    private const int LongestId = 256;

    private readonly Queue<LeaseMiss> _misses = new();

    public void Add(LeaseMiss miss)
    {
        if (miss.MessageId.Length > LongestId)
            miss = miss with { MessageId = miss.MessageId[..LongestId] };
        lock (_misses)
        {
            if (_misses.Count == Most)
                _misses.Dequeue();
            _misses.Enqueue(miss);
        }
    }

    public LeaseMiss[] ToArray()
    {
        lock (_misses)
            return [.. _misses];
    }
}
