namespace Holdfast.Lab.Leases;

/// <summary>One message's life in our hands: all times count from the run's start.</summary>
internal sealed class Life
{
    public TimeSpan Received { get; init; }

    /// <summary>When its handling ended, and, unless it was lost, it was settled.</summary>
    public TimeSpan Ended { get; set; }

    public bool HasEnded => Ended > TimeSpan.Zero;

    /// <summary>When we learned that its lease was lost.</summary>
    public TimeSpan? Lost { get; set; }

    public TimeSpan Length => Ended - Received;
}
