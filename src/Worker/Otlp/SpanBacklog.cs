namespace Holdfast.Worker.Otlp;

/// <summary>
/// Counts the spans that wait to be sent, and tells once where more end than are taken: the SDK drops in silence what its queue has no room for.
/// Any thread.
/// </summary>
internal sealed partial class SpanBacklog(int room, ILogger log, TimeProvider time)
{
    // As long as some are dropped more often than this, it is the same that was told of already.
    private static readonly TimeSpan s_calm = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private long _ended;
    private long _sent;
    private long _dropped;
    private long? _droppedAt;

    /// <summary>One has ended, and waits unless it was dropped.</summary>
    public void Ended()
    {
        // No more can wait than there is room for. What was dropped before stays in the difference, so only more than ever is news.
        var dropped = Interlocked.Increment(ref _ended) - Volatile.Read(ref _sent) - room;
        if (dropped > Volatile.Read(ref _dropped))
            Dropped(dropped);
    }

    /// <summary>So many wait no longer.</summary>
    public void Sent(long count) => Interlocked.Add(ref _sent, count);

    private void Dropped(long dropped)
    {
        lock (_gate)
        {
            if (dropped <= _dropped)
                return;

            Volatile.Write(ref _dropped, dropped);
            var isTold = _droppedAt is { } at && time.GetElapsedTime(at) < s_calm;
            _droppedAt = time.GetTimestamp();
            if (isTold)
                return;
        }

        LogDropped(log, room);
    }

    [LoggerMessage(LogLevel.Warning, "Spans are dropped: more end than the collector takes, and no more than {Room} wait (OTEL_BSP_MAX_QUEUE_SIZE). Record fewer traces, by OTEL_TRACES_SAMPLER=parentbased_traceidratio with OTEL_TRACES_SAMPLER_ARG, or let more wait.")]
    private static partial void LogDropped(ILogger log, int room);
}
