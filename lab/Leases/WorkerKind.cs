namespace Holdfast.Lab.Leases;

/// <summary>Who does the work, and in which order its continuations run.</summary>
internal enum WorkerKind
{
    /// <summary>The published worker on a thread pool that grows as the published one must have.</summary>
    Pool,

    /// <summary>The published worker on the .NET thread pool of today.</summary>
    DotNetPool,

    /// <summary>The published worker on threads that run what comes first, first.</summary>
    Fifo,

    /// <summary>The published worker on one thread, with its urgencies handed round by yielding.</summary>
    HandedRound,

    /// <summary>Holdfast, with its settings as they are.</summary>
    Lanes,

    /// <summary>Holdfast, told to take all messages and to handle them in turns.</summary>
    LanesInTurns,
}
