using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>All that the page shows of one moment.</summary>
/// <param name="Date">When it was, by the wall clock, which may be set at any time; what is reckoned with is the moment of the leases.</param>
/// <param name="Status">How the engine stood.</param>
/// <param name="Leases">What it held.</param>
/// <param name="Misses">What it had lost, the latest first.</param>
internal sealed record Picture(DateTimeOffset Date, EngineStatus Status, LeaseSnapshot Leases, IReadOnlyList<LeaseMiss> Misses);
