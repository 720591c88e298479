namespace Holdfast.Broker.RabbitMq;

/// <summary>Looks after what has arrived and nobody takes: it shall not keep coming, and is given back while others could still begin with it. Any thread.</summary>
internal sealed class Unclaimed
{
    private static readonly TimeSpan s_shutAfter = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_giveBackAfter = TimeSpan.FromSeconds(5);

    private readonly Intake _intake;
    private readonly Shelf _shelf;
    private readonly Taps _taps;
    private readonly ITimer _next;
    private int _isWatching;

    public Unclaimed(Intake intake, Shelf shelf, Taps taps)
    {
        (_intake, _shelf, _taps) = (intake, shelf, taps);
        _next = intake.Time.CreateTimer(static unclaimed => ((Unclaimed)unclaimed!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Something was put on the shelf.</summary>
    public void Arrived() => Watch(s_shutAfter);

    public ValueTask EndAsync() => _next.DisposeAsync();

    private void Watch(TimeSpan wait)
    {
        if (Interlocked.Exchange(ref _isWatching, 1) == 0)
            _next.Change(wait, Timeout.InfiniteTimeSpan);
    }

    private void Look()
    {
        Volatile.Write(ref _isWatching, 0);
        if (_intake.IsOver || _shelf.OldestArrivedAt is not { } oldest)
            return;

        var unclaimed = _intake.Time.GetElapsedTime(oldest);
        if (unclaimed >= s_shutAfter)
            _ = _taps.ShutAsync(leaving: 0);

        // Who asks and does not take it waits for the server's sign of life; and that is not waited for longer than for any answer.
        var next = unclaimed < s_shutAfter ? s_shutAfter
            : unclaimed < s_giveBackAfter || !_taps.AreAsked ? s_giveBackAfter
            : Questions.Patience;
        if (unclaimed < next)
            Watch(next - unclaimed);
        else
            Array.ForEach(_shelf.TakeAll(), _intake.LetGo);
    }
}
