using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>All that the page shows of one moment.</summary>
internal sealed record Picture(EngineStatus Status, LeaseSnapshot Leases, IReadOnlyList<LeaseMiss> Misses);
