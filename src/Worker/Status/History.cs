using Holdfast.Consumer;
using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Status;

/// <summary>The last minutes, second by second, so that a page that is opened has its charts at once. Written by the StatusFeed, read by any thread.</summary>
internal sealed class History(TimeProvider time)
{
    public const int Seconds = 600;

    private readonly Queue<HistoryPoint> _points = new(Seconds);
    private long? _notedAt;
    private (long Received, long Settled) _before;

    public HistoryPoint[] ToArray()
    {
        lock (_points)
            return [.. _points];
    }

    /// <summary>Notes how it stands; rates are those since the last time. Null the first time, which has none.</summary>
    public HistoryPoint? Note(EngineStatus status, LeaseSnapshot leases)
    {
        var now = time.GetTimestamp();
        var totals = (Received: status.Queues.Sum(queue => queue.Received), Settled: status.Queues.Sum(queue => queue.Settled()));
        var (notedAt, before) = (_notedAt, _before);
        (_notedAt, _before) = (now, totals);
        if (notedAt is not { } then)
            return null;

        var seconds = time.GetElapsedTime(then, now).TotalSeconds;
        var point = new HistoryPoint(
            Math.Round(leases.At.TotalSeconds, 1),
            Math.Round((totals.Received - before.Received) / seconds, 1),
            Math.Round((totals.Settled - before.Settled) / seconds, 1),
            leases.LeastTrust is { } least ? Math.Round(least.TotalSeconds, 3) : null,
            leases.InHand);
        lock (_points)
        {
            if (_points.Count == Seconds)
                _points.Dequeue();
            _points.Enqueue(point);
        }

        return point;
    }
}
