namespace Holdfast.Virtual;

/// <summary>Some cores: they serve all burning threads evenly, neighbours among them, each at the speed of one core at most.</summary>
internal sealed class Processor
{
    private const double Rounding = 1e-3;

    private readonly VirtualMachine _machine;
    private readonly int _cores;
    private readonly PriorityQueue<(VirtualThread Thread, int Number), (double Due, long Order)> _burns = new();
    private readonly ITimer _timer;
    private int _burning;
    private int _neighbours;
    private double _burnt;
    private double _waited;
    private double _served;
    private long _at;
    private long _order;

    public Processor(VirtualMachine machine, int cores)
    {
        _machine = machine;
        _cores = cores;
        _timer = machine.Time.CreateTimer(static self => ((Processor)self!).Finish(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public int Cores => _cores;

    public bool HasIdleCore => _burning + _neighbours < _cores;

    /// <summary>How many threads of others burn without end beside ours.</summary>
    public int Neighbours
    {
        get => _neighbours;
        set
        {
            CatchUp();
            _neighbours = value;
            SetTimer();
        }
    }

    /// <summary>How much CPU time our threads have had.</summary>
    public TimeSpan Burnt
    {
        get
        {
            CatchUp();
            return new((long)_burnt);
        }
    }

    /// <summary>For how long our threads were ready to burn while others had the cores.</summary>
    public TimeSpan Waited
    {
        get
        {
            CatchUp();
            return new((long)_waited);
        }
    }

    // How much longer everything takes than it would alone.
    private double Share => Math.Max(1, (double)(_burning + _neighbours) / _cores);

    public void Begin(VirtualThread thread, TimeSpan time) => Begin(thread, (double)time.Ticks);

    /// <summary>A thread has had a core to itself for that long, by now.</summary>
    public void Passed(TimeSpan time) => _burnt += time.Ticks;

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
        var served = (now - _at) / Share;
        _served += served;
        _burnt += served * _burning;
        _waited += (now - _at - served) * _burning;
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
