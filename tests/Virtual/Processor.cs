namespace Holdfast.Virtual;

/// <summary>The cores of a virtual machine: they serve all burning threads evenly, each at the speed of one core at most.</summary>
internal sealed class Processor
{
    private const double Rounding = 1e-3;

    private readonly VirtualMachine _machine;
    private readonly int _cores;
    private readonly PriorityQueue<(VirtualThread Thread, int Number), (double Due, long Order)> _burns = new();
    private readonly ITimer _timer;
    private int _burning;
    private double _served;
    private long _at;
    private long _order;

    public Processor(VirtualMachine machine, int cores)
    {
        _machine = machine;
        _cores = cores;
        _timer = machine.Time.CreateTimer(static self => ((Processor)self!).Finish(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public bool HasIdleCore => _burning < _cores;

    // How much longer everything takes than it would alone.
    private double Share => Math.Max(1, (double)_burning / _cores);

    public void Begin(VirtualThread thread, TimeSpan time) => Begin(thread, (double)time.Ticks);

    /// <summary>Its thread stands still.</summary>
    public void Halt(VirtualThread thread)
    {
        if (!thread.Burning.IsServed)
            return;

        CatchUp();
        thread.Burning.Left = Math.Max(0, thread.Burning.Due - _served);
        End(thread);
        SetTimer();
    }

    /// <summary>It goes on with what it had not burnt when it was halted.</summary>
    public void Resume(VirtualThread thread)
    {
        if (thread.Burning.Left is not { } left)
            return;

        thread.Burning.Left = null;
        Begin(thread, left);
    }

    private void Begin(VirtualThread thread, double ticks)
    {
        CatchUp();
        _burning++;
        var burn = thread.Burning;
        burn.IsServed = true;
        burn.Due = _served + ticks;
        _burns.Enqueue((thread, ++burn.Number), (burn.Due, _order++));
        SetTimer();
    }

    private void End(VirtualThread thread)
    {
        _burning--;
        thread.Burning.IsServed = false;
        thread.Burning.Number++;
    }

    private void Finish()
    {
        CatchUp();
        while (TryPeek(out var first) && first.Burning.Due <= _served + Rounding)
        {
            _burns.Dequeue();
            End(first);
            first.Unblock();
        }

        SetTimer();
    }

    private void CatchUp()
    {
        var now = _machine.Time.GetTimestamp();
        _served += (now - _at) / Share;
        _at = now;
    }

    private void SetTimer()
    {
        if (TryPeek(out var first))
            _timer.Change(TimeSpan.FromTicks((long)Math.Ceiling(((first.Burning.Due - _served) * Share) - Rounding)), Timeout.InfiniteTimeSpan);
    }

    // Those that were halted stay until they are first.
    private bool TryPeek(out VirtualThread first)
    {
        while (_burns.TryPeek(out var burn, out _))
        {
            first = burn.Thread;
            if (first.Burning.Number == burn.Number)
                return true;
            _burns.Dequeue();
        }

        first = null!;
        return false;
    }
}

/// <summary>What one thread has to burn.</summary>
internal sealed class BurnState
{
    public bool IsServed { get; set; }

    /// <summary>At which service of the processor it has burnt all.</summary>
    public double Due { get; set; }

    /// <summary>Which of its burns it is.</summary>
    public int Number { get; set; }

    /// <summary>What was left when it was halted.</summary>
    public double? Left { get; set; }
}
