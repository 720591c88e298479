namespace Holdfast.Worker.Exec;

/// <summary>Ends a message's work when its lease or its time is over, and tells which of them it was.</summary>
internal sealed class TimeLimit : IDisposable
{
    private readonly TimeSpan? _limit;
    private readonly CancellationToken _cancel;
    private readonly CancellationTokenSource _tooLong;
    private readonly CancellationTokenSource _over;

    public TimeLimit(TimeSpan? limit, TimeProvider time, CancellationToken cancel)
    {
        (_limit, _cancel) = (limit, cancel);
        _tooLong = new(limit ?? Timeout.InfiniteTimeSpan, time);
        _over = CancellationTokenSource.CreateLinkedTokenSource(cancel, _tooLong.Token);
    }

    public CancellationToken Token => _over.Token;

    /// <exception cref="OperationCanceledException">The lease is over, or the handler was called off.</exception>
    /// <exception cref="TimeoutException">Its own time is over.</exception>
    public void ThrowIfOver()
    {
        _cancel.ThrowIfCancellationRequested();
        if (_tooLong.IsCancellationRequested)
            throw new TimeoutException($"The command took longer than {_limit!.Value.TotalSeconds:0.###} s (Worker__Exec__Timeout), and was ended.");
    }

    public void Dispose()
    {
        _over.Dispose();
        _tooLong.Dispose();
    }
}
