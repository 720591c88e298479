namespace Holdfast.Consumer;

/// <summary>
/// Remembers in memory which messages were handled: bounded in number and time, and gone with the process. It outlives an engine, though, and may serve
/// several of one broker. Any thread.
/// </summary>
public sealed class InMemoryIdempotencyStore : IIdempotencyStore
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Queue, string Key), long> _keys = [];
    private readonly Queue<((string Queue, string Key) Message, long At)> _order = new();
    private readonly int _keepMost;
    private readonly TimeSpan _keepFor;
    private readonly TimeProvider _time;

    /// <param name="keepMost">The most keys that are kept; then the oldest give way.</param>
    /// <param name="keepFor">How long a key is kept: an hour, where nothing is said.</param>
    /// <param name="time">The clock; the system's, where nothing is said.</param>
    /// <exception cref="ArgumentOutOfRangeException">It would keep nothing.</exception>
    public InMemoryIdempotencyStore(int keepMost = 100_000, TimeSpan? keepFor = null, TimeProvider? time = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(keepMost, 1);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(keepFor ?? s_hour, TimeSpan.Zero, nameof(keepFor));
        (_keepMost, _keepFor, _time) = (keepMost, keepFor ?? s_hour, time ?? TimeProvider.System);
    }

    public ValueTask RememberAsync(string queue, string key, CancellationToken cancel)
    {
        Remember(queue, key);
        return default;
    }

    public ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel) => new(Contains(queue, key));

    internal void Remember(string queue, string key)
    {
        lock (_gate)
        {
            var now = _time.GetTimestamp();
            _keys[(queue, key)] = now;
            _order.Enqueue(((queue, key), now));
            Forget(now);
        }
    }

    internal bool IsEmpty
    {
        get
        {
            lock (_gate)
                return _keys.Count == 0;
        }
    }

    internal bool Contains(string queue, string key)
    {
        lock (_gate)
        {
            Forget(_time.GetTimestamp());
            return _keys.ContainsKey((queue, key));
        }
    }

    private void Forget(long now)
    {
        while (_order.TryPeek(out var oldest) && (_order.Count > _keepMost || _time.GetElapsedTime(oldest.At, now) > _keepFor))
        {
            _order.Dequeue();
            if (_keys.TryGetValue(oldest.Message, out var at) && at == oldest.At)
                _keys.Remove(oldest.Message);
        }
    }
}
