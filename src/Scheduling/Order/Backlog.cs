namespace Holdfast.Scheduling;

/// <summary>A strand's tasks in the Process lane's queue, in the order they came. Nearly always one: kept without a queue of its own.</summary>
internal struct Backlog
{
    private Task? _first;
    private Postmark _firstPosted;
    private Queue<Task>? _others;

    public readonly bool IsEmpty => _first is null;

    public void Add(in Work work)
    {
        if (IsEmpty)
            (_first, _firstPosted) = (work.Task, work.Posted);
        else
            (_others ??= new()).Enqueue(work.Task!);
    }

    /// <summary>Puts back what came before all the others.</summary>
    public void Return(in Work work)
    {
        if (!IsEmpty)
            _others = new([_first!, .. _others ?? []]);
        (_first, _firstPosted) = (work.Task, work.Posted);
    }

    // Only a first one's wait is measured: the others' would need a place each, for a mere sample.
    public Work Take(Strand strand)
    {
        var work = new Work(strand, _first, null, _firstPosted);
        _first = _others is not null && _others.TryDequeue(out var next) ? next : null;
        _firstPosted = Postmark.None;
        return work;
    }
}
