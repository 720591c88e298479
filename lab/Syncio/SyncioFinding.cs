namespace Holdfast.Lab.Syncio;

/// <summary>Who runs the handlers.</summary>
internal enum Runner
{
    Pool,

    /// <summary>The pool with as many threads from the start as other servers come to.</summary>
    WidePool,

    /// <summary>The whole engine, with its leases.</summary>
    Holdfast,
}

/// <summary>Handlers that block their thread or await, so many at once, and for how long that is watched.</summary>
internal sealed record SyncioQuestion(Runner Runner, bool IsBlocking, int AtOnce, double WaitSeconds, double WindowSeconds)
{
    public const int WideThreads = 400;

    public TimeSpan Wait => TimeSpan.FromSeconds(WaitSeconds);

    public TimeSpan Window => TimeSpan.FromSeconds(WindowSeconds);
}

/// <summary>How many handlers ended, after how many seconds the last of them, how many threads there were then, and how the leases fared where there are any.</summary>
internal sealed record SyncioFinding(int Ended, double LastEnd, int Threads, LeaseFinding? Leases);

/// <summary>How the leases fared: how many were held at the end, renewed and lost in all, and how many blocked threads the engine had found.</summary>
internal sealed record LeaseFinding(int Held, long Renewed, long Lost, int Blocked);
