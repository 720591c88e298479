namespace Holdfast.Consumer;

/// <summary>The running engine, as its host sees it.</summary>
public interface IEngine
{
    EngineStatus Status { get; }

    /// <summary>The last leases that were lost, the latest first; the older ones are forgotten.</summary>
    IReadOnlyList<LeaseMiss> LastMisses { get; }

    /// <summary>Looks at all held leases, and lists at most so many of them. Takes time that grows with their number, on the caller's thread: for people, a few times in a second.</summary>
    LeaseSnapshot Leases(int most);
}
