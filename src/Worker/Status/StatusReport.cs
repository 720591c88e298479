using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>What the status page shows, for scripts: how it goes at this moment.</summary>
internal sealed record StatusReport(string Version, string Host, string Broker, string Handler, double AtMilliseconds, EngineStatus Engine, LeaseReport Leases, IEnumerable<LeaseMiss> LastMisses);

/// <summary>The leases in hand, the most urgent of them one by one.</summary>
internal sealed record LeaseReport(int InHand, int InDanger, int Lost, TimeSpan? LeastTrust, IEnumerable<HeldLease> Listed);
