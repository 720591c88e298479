namespace Holdfast.Consumer;

/// <summary>
/// The token of one attempt, or of one question to a store or a worker: cancelled when its time is up, or the message is no longer ours. What a handler or a store has
/// registered with it runs where it is cancelled, and is its own: what throws there must not end the process, and nobody waits for it.
/// </summary>
internal sealed class AttemptLimit : IDisposable
{
    private readonly CancellationTokenSource _attempt = new();
    private readonly CancellationTokenRegistration _calledOff;
    private readonly ITimer _timer;
    private volatile bool _isOver;

    public AttemptLimit(TimeSpan longest, TimeProvider time, CancellationToken cancel)
    {
        Token = _attempt.Token;
        _calledOff = cancel.UnsafeRegister(static self => ((AttemptLimit)self!).Cancel(), this);
        _timer = time.CreateTimer(static self => ((AttemptLimit)self!).End(), this, longest, Timeout.InfiniteTimeSpan);
    }

    public CancellationToken Token { get; }

    /// <summary>Whether its time was up.</summary>
    public bool IsOver => _isOver;

    public void Dispose()
    {
        _timer.Dispose();
        _calledOff.Unregister();

        // Callbacks may still run where it was cancelled, and whoever disposes a source waits for nobody.
        _attempt.Dispose();
    }

    private void End()
    {
        _isOver = true;
        Cancel();
    }

    private void Cancel()
    {
        try
        {
            _attempt.Cancel();
        }
        catch (Exception ofCallback) when (ofCallback is AggregateException or ObjectDisposedException)
        {
        }
    }
}
