namespace Holdfast.Consumer;

/// <summary>
/// Messages that were handled, but whose lease was lost before that could be settled: redelivered, they are settled without running again.
/// Bounded in number and time. Any thread.
/// </summary>
internal sealed class CompletedIds(TimeProvider time)
{
    private const int Most = 10_000;
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    private readonly object _gate = new();
    private readonly Dictionary<string, long> _ids = [];
    private readonly Queue<(string Id, long At)> _order = new();

    public void Remember(string id)
    {
        lock (_gate)
        {
            var now = time.GetTimestamp();
            _ids[id] = now;
            _order.Enqueue((id, now));
            Forget(now);
        }
    }

    public bool Contains(string id)
    {
        lock (_gate)
        {
            Forget(time.GetTimestamp());
            return _ids.ContainsKey(id);
        }
    }

    private void Forget(long now)
    {
        while (_order.TryPeek(out var oldest) && (_order.Count > Most || time.GetElapsedTime(oldest.At, now) > s_longest))
        {
            _order.Dequeue();
            if (_ids.TryGetValue(oldest.Id, out var at) && at == oldest.At)
                _ids.Remove(oldest.Id);
        }
    }
}
