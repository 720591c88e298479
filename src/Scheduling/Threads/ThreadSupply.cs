namespace Holdfast.Scheduling;

/// <summary>How many threads are left for those that are blocked, and so what may be run: each level allows less than the one before.</summary>
internal enum ThreadSupply
{
    /// <summary>Whatever is next.</summary>
    Ample,

    /// <summary>Nothing new is begun: what has begun may hold what others wait for.</summary>
    Scarce,

    /// <summary>Of the Process lane, only what belongs to a turn under way: that may be blocked until it has run.</summary>
    Last,

    /// <summary>Nothing of the Process lane. Who is left settles.</summary>
    Spent,
}
