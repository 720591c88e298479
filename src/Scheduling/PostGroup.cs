namespace Holdfast.Scheduling;

/// <summary>
/// What one thread posts until the end of this: another is woken once all of it is there. Woken at the first, it would take the poster's own CPU,
/// find one piece of work, and sleep again.
/// </summary>
public readonly ref struct PostGroup
{
    [ThreadStatic]
    private static LaneScheduler? t_open;

    private readonly LaneScheduler _lanes;
    private readonly LaneScheduler? _outer;

    internal PostGroup(LaneScheduler lanes)
    {
        _lanes = lanes;
        _outer = t_open;
        t_open = lanes;
    }

    /// <summary>Whether the calling thread is within a group, so that waking is for its end.</summary>
    internal static bool IsOpen(LaneScheduler lanes) => t_open == lanes;

    public void Dispose()
    {
        t_open = _outer;
        _lanes.Postbox.WakeAfterGroup();
    }
}
