namespace Holdfast.Consumer;

/// <summary>
/// How many messages may be in hand at once, as the machine carries them: shrinks at once to what runs, grows by a quarter while it is used up.
/// Decides only; the Pacer asks it, at each of its looks.
/// </summary>
internal sealed class AdmissionLimit
{
    private const int LooksBeforeGrowth = 5;
    private const int StartPerThread = 4;

    private readonly int _least;
    private readonly int _most;
    private int _calm;

    public AdmissionLimit(AdmissionMode mode, int most, int threads)
    {
        _most = most;
        _least = mode == AdmissionMode.Fixed ? most : Math.Min(most, threads);
        Value = Math.Max(_least, Math.Min(most, threads * StartPerThread));
        _calm = LooksBeforeGrowth;
    }

    public int Value { get; private set; }

    /// <param name="load">How the machine did since the last look.</param>
    /// <param name="used">Messages in hand now.</param>
    /// <param name="wasFull">Whether the limit kept messages out since the last look. Unless it did, there is nothing to learn from.</param>
    /// <param name="late">Of those in hand, how many wait for others of their key, perhaps for longer than they may be held. Where they are most, more would do so too.</param>
    /// <param name="need">How many of those in hand want a thread; null where all load is this queue's.</param>
    public void Adapt(Load load, int used, bool wasFull, int late = 0, ThreadNeed? need = null)
    {
        if ((load.IsTooMuch && need is not { IsSlight: true }) || load.IsPoolLate)
        {
            Shrink(used, Math.Max(1, Math.Min((int)load.Waiting - load.Threads, need?.Waiting ?? int.MaxValue)));
        }
        else if (late * 2 > used)
        {
            Shrink(used, late);
        }
        else if (++_calm > LooksBeforeGrowth && wasFull)
        {
            Value = Math.Min(_most, Value + Math.Max(1, Value / 4));
        }
    }

    private void Shrink(int used, int excess)
    {
        Value = Math.Clamp(Math.Min(Value, used) - excess, _least, _most);
        _calm = 0;
    }
}
