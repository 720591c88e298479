namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// What is opened once for all who need it, and anew where it is over or could not be opened. Any thread. Opening begins outside of the lock:
/// it takes the locks of others, who may be asking here, and runs a credential's code, for however long that takes.
/// </summary>
internal sealed class Kept<T>(Func<T?, Task<T>> open, Func<T, bool> isOver)
    where T : class
{
    private readonly Lock _gate = new();
    private Task<T>? _opening;

    /// <summary>What was opened last, and may be over by now; nothing while it is being opened.</summary>
    public T? Opened => Volatile.Read(ref _opening) is { IsCompletedSuccessfully: true, Result: var opened } ? opened : null;

    public bool IsOpening => Volatile.Read(ref _opening) is { IsCompleted: false };

    public Task<T> OpenAsync()
    {
        T? over;
        TaskCompletionSource<T> opening;
        lock (_gate)
        {
            over = Opened;
            if (_opening is { IsCompleted: false } || (over is not null && !isOver(over)))
                return _opening!;
            _opening = (opening = new()).Task;
        }

        // It may live for months, and is nobody's: not a part of the work, or of the trace, of who happens to need it first.
        using (ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow())
            _ = OpenAsync(over, opening);
        return opening.Task;
    }

    /// <summary>It was opened by other means.</summary>
    public void Keep(T opened)
    {
        lock (_gate)
            _opening = Task.FromResult(opened);
    }

    /// <summary>Whoever needs it next opens it anew, unless it is just being opened.</summary>
    public void Forget()
    {
        lock (_gate)
            _opening = _opening is { IsCompleted: false } opening ? opening : null;
    }

    private async Task OpenAsync(T? over, TaskCompletionSource<T> opening)
    {
        try
        {
            opening.SetResult(await open(over).ConfigureAwait(false));
        }
        catch (Exception problem)
        {
            opening.SetException(problem);
        }
    }
}
