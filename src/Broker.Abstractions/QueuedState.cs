namespace Holdfast.Broker;

/// <summary>Whom a message in a queue waits for.</summary>
public enum QueuedState
{
    /// <summary>For whoever receives.</summary>
    Active,

    /// <summary>For its time: nobody is handed it before.</summary>
    Scheduled,

    /// <summary>For who has its number: somebody has deferred it, and nobody else is handed it.</summary>
    Deferred,
}
