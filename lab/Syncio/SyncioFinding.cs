namespace Holdfast.Lab.Syncio;

/// <summary>How many handlers ended, after how many seconds the last of them, how many threads there were then, and how the leases fared where there are any.</summary>
internal sealed record SyncioFinding(int Ended, double LastEnd, int Threads, LeaseFinding? Leases);

/// <summary>How many leases were held at the end, renewed and lost in all, and how many blocked threads were found at once at the most.</summary>
internal sealed record LeaseFinding(int Held, long Renewed, long Lost, int Blocked);
