namespace Holdfast.Scheduling;

/// <summary>
/// The one piece of work that a worker keeps for its own next turn, past the shared queue. Only that worker puts it in; any thread may take it out.
/// </summary>
internal sealed class KeptWork
{
    private const int None = 0;
    private const int Some = 1;
    private const int Leaving = 2;

    private int _state;
    private Work _work;

    public bool IsEmpty => Volatile.Read(ref _state) != Some;

    /// <summary>Puts work in, with a full fence behind it. False where there is some already.</summary>
    public bool TryPut(in Work work)
    {
        if (Volatile.Read(ref _state) != None)
            return false;

        _work = work;
        Interlocked.Exchange(ref _state, Some);
        return true;
    }

    public bool TryTake(out Work work)
    {
        if (IsEmpty || Interlocked.CompareExchange(ref _state, Leaving, Some) != Some)
        {
            work = default;
            return false;
        }

        work = _work;
        _work = default;
        Volatile.Write(ref _state, None);
        return true;
    }
}
