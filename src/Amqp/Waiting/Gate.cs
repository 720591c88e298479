namespace Holdfast.Amqp;

/// <summary>
/// The one lock of a connection. Whoever has passed it may move the state machines; what they have to tell others is told once the gate is open again,
/// by whoever passed, in order. Any thread.
/// </summary>
internal sealed class Gate
{
    private readonly Lock _lock = new();
    private List<IDue> _due = [];
    private List<IDue>? _spare;

    /// <summary>Called behind the gate, as a turn ends.</summary>
    public Action? OnLeave { get; set; }

    /// <summary>Called outside the gate with what someone threw who was told something.</summary>
    public Action<Exception>? OnFault { get; set; }

    public Turn Enter()
    {
        _lock.Enter();
        return new Turn(this);
    }

    /// <summary>Behind the gate: to be released when this turn is over.</summary>
    public void Add(IDue due) => _due.Add(due);

    private void Leave()
    {
        List<IDue>? mine = null;
        OnLeave?.Invoke();
        if (_due.Count > 0)
            (mine, _due) = (_due, Interlocked.Exchange(ref _spare, null) ?? []);
        _lock.Exit();
        if (mine is null)
            return;

        foreach (var due in mine)
            Release(due);
        mine.Clear();
        Volatile.Write(ref _spare, mine);
    }

    // One who throws shall not keep the others waiting.
    private void Release(IDue due)
    {
        try
        {
            due.Release();
        }
        catch (Exception fault)
        {
            OnFault?.Invoke(fault);
        }
    }

    /// <summary>One passage of the gate.</summary>
    public readonly ref struct Turn(Gate gate)
    {
        public void Dispose() => gate.Leave();
    }
}
