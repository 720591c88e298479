namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Looks after what has arrived and nobody takes: it shall not keep coming, and is given back while others could still begin with it.
/// What is to be handled in order stays, for it would come again behind those that it was before: others begin with it only when it can't stay any longer. Any thread.
/// </summary>
internal sealed class Unclaimed
{
    private static readonly TimeSpan s_shutAfter = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_giveBackAfter = TimeSpan.FromSeconds(5);

    private readonly Intake _intake;
    private readonly Shelf _shelf;
    private readonly Taps _taps;
    private readonly ITimer _next;
    private BrokerException? _problem;
    private int _isWatching;

    public Unclaimed(Intake intake, Shelf shelf, Taps taps)
    {
        (_intake, _shelf, _taps) = (intake, shelf, taps);
        _next = intake.Time.CreateTimer(static unclaimed => ((Unclaimed)unclaimed!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    // What is taken later than that would have little time to be handled in.
    private TimeSpan LongestInOrder => _intake.HoldLimit / 2;

    /// <summary>Something was put on the shelf.</summary>
    public void Arrived() => Watch(s_shutAfter);

    /// <summary>That messages were given back although their order counts, for one who asks for more to be told, once; null where none were.</summary>
    public BrokerException? TakeProblem() => Interlocked.Exchange(ref _problem, null);

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
            : _intake.IsInOrder ? LongestInOrder
            : unclaimed < s_giveBackAfter || !_taps.AreAsked ? s_giveBackAfter
            : Questions.Patience;

        // It may be taken before that, and others come that nobody takes.
        if (unclaimed < next)
            Watch(next - unclaimed < s_giveBackAfter ? next - unclaimed : s_giveBackAfter);
        else
            GiveBack();
    }

    // All of it, and not only what has lain here for so long: the later ones of a key would pass the earlier.
    private void GiveBack()
    {
        var unclaimed = _shelf.TakeAll();
        if (_intake.IsInOrder && unclaimed.Length > 0)
            Volatile.Write(ref _problem, Problems.GivenBackUnordered(_intake.Queue, unclaimed.Length, LongestInOrder));
        Array.ForEach(unclaimed, _intake.LetGo);
    }
}
