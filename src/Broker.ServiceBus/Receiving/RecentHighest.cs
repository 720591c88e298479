namespace Holdfast.Broker.ServiceBus;

/// <summary>The highest of what was seen in the last 15 to 30 minutes: in two spans, of which the older one is forgotten all at once. Any thread.</summary>
internal sealed class RecentHighest(TimeProvider time)
{
    public static readonly TimeSpan Span = TimeSpan.FromMinutes(15);

    private readonly Lock _gate = new();
    private readonly long _span = (long)(Span.TotalSeconds * time.TimestampFrequency);
    private long? _earlier;
    private long? _now;
    private long _since;

    public void Add(long value, long at)
    {
        lock (_gate)
        {
            Turn(at);
            _now = Math.Max(value, _now ?? value);
        }
    }

    public long? Of(long at)
    {
        lock (_gate)
        {
            Turn(at);
            return _now is { } now && _earlier is { } earlier ? Math.Max(now, earlier) : _now ?? _earlier;
        }
    }

    /// <summary>What is as high as that can't be true.</summary>
    public void Drop(long limit)
    {
        lock (_gate)
        {
            _now = _now >= limit ? null : _now;
            _earlier = _earlier >= limit ? null : _earlier;
        }
    }

    private void Turn(long at)
    {
        if (at - _since < _span)
            return;
        (_earlier, _since) = at - _since < 2 * _span ? (_now, _since + _span) : (null, at);
        _now = null;
    }
}
