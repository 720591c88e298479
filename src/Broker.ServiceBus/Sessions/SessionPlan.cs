namespace Holdfast.Broker.ServiceBus;

/// <summary>Decides when another session is to be taken, and when one is to be given up or renewed without a message in hand.</summary>
internal sealed class SessionPlan(int most, TimeSpan idleTime, bool isNamed)
{
    // Later than the keeper of leases would: a session with a message in hand is its business.
    private const double RenewAfter = 0.6;

    /// <summary>How long a session with messages keeps the place that another may be waiting for: long beside the round trips that a change costs.</summary>
    public static readonly TimeSpan Turn = TimeSpan.FromSeconds(10);

    /// <summary>Whether to take another one: a session that has nothing in hand uses the room that there is, so more are of no use than that.</summary>
    public bool WantsMore(int held, int idle, int room) => held < (isNamed ? 1 : most) && idle < room;

    /// <summary>Whether to give up one that has had nothing in hand for so long. The one that was asked for by name is kept, but while nobody has asked for so long.</summary>
    public bool IsSpent(TimeSpan idle, TimeSpan unasked) =>
        (!isNamed && idle >= idleTime) || (idle >= Handover.LongestWait && unasked >= Handover.LongestWait);

    /// <summary>Whether one that was held for so long is to be given up between two of its messages, where no other is looked for beside it: one may wait for its place.</summary>
    public bool IsTurnOver(TimeSpan held) => !isNamed && held >= Turn;

    public static bool IsDue(double partPassed) => partPassed >= RenewAfter;
}
