namespace Holdfast.Consumer;

/// <summary>Where a held message is on its way.</summary>
public enum LaneState
{
    /// <summary>It is ready for a turn of the Process lane: the first, or the next one.</summary>
    Waiting,

    /// <summary>A thread runs its handler.</summary>
    Running,

    /// <summary>Its handler awaits something outside the lane.</summary>
    Awaiting,

    /// <summary>Its settlement is with the broker.</summary>
    Settling,
}
