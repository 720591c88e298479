namespace Holdfast.Lab.Leases;

/// <summary>Keeps the book of all messages' lives in one run. Any thread.</summary>
internal sealed class Lives(TimeProvider time, int expected)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Life> _lives = [];
    private readonly TaskCompletionSource _all = new();
    private readonly long _start = time.GetTimestamp();
    private int _ended;
    private int _threads;

    /// <summary>Ends once every message's life has; fails with whoever fails.</summary>
    public Task All => _all.Task;

    public void Receive(string id)
    {
        lock (_gate)
            _lives.Add(id, new Life { Received = Now });
    }

    public void Lose(string id)
    {
        lock (_gate)
            _lives[id].Lost ??= Now;
    }

    public bool IsLost(string id)
    {
        lock (_gate)
            return _lives[id].Lost is not null;
    }

    public bool HasEnded(string id)
    {
        lock (_gate)
            return _lives[id].HasEnded;
    }

    public void End(string id)
    {
        lock (_gate)
        {
            if (_lives[id].HasEnded)
                return;
            _lives[id].Ended = Now;
            if (++_ended < expected)
                return;
        }

        _all.TrySetResult();
    }

    public void Fail(Exception problem) => _all.TrySetException(problem);

    /// <summary>Notes how many threads there are.</summary>
    public void SeeThreads(int count)
    {
        lock (_gate)
            _threads = Math.Max(_threads, count);
    }

    public Outcome Outcome()
    {
        lock (_gate)
            return Leases.Outcome.Of(_lives.Values, _threads);
    }

    private TimeSpan Now => time.GetElapsedTime(_start);
}
