namespace Holdfast.Consumer;

/// <summary>The last leases that were lost, kept for whoever asks later. Any thread.</summary>
internal sealed class RecentMisses
{
    public const int Most = 50;

    private readonly Queue<LeaseMiss> _misses = new();

    public void Add(LeaseMiss miss)
    {
        miss = miss with { MessageId = Spans.Bounded(miss.MessageId) };
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
