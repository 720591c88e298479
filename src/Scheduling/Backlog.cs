namespace Holdfast.Scheduling;

/// <summary>A strand's tasks in the Process lane's queue, in the order they came. Nearly always one: kept without a queue of their own.</summary>
internal struct Backlog
{
    private Work _first;
    private Queue<Work>? _others;

    public readonly bool IsEmpty => _first.Task is null;

    public void Add(in Work work)
    {
        if (IsEmpty)
            _first = work;
        else
            (_others ??= new()).Enqueue(work);
    }

    /// <summary>Puts back what came before all the others.</summary>
    public void Return(in Work work)
    {
        if (!IsEmpty)
            _others = new([_first, .. _others ?? []]);
        _first = work;
    }

    public Work Take()
    {
        var work = _first;
        _first = _others is not null && _others.TryDequeue(out var next) ? next : default;
        return work;
    }
}
