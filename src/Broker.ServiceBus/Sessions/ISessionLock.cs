namespace Holdfast.Broker.ServiceBus;

/// <summary>The lock of a session that is ours, by whichever client. Any thread.</summary>
internal interface ISessionLock
{
    /// <summary>Until when the broker locked it for us as it gave it to us, in milliseconds: later each time that somebody takes it.</summary>
    long Term { get; }

    /// <summary>When it was last asked for: trust is counted from there.</summary>
    long LockedAt { get; }

    TimeSpan LockDuration { get; }
}
