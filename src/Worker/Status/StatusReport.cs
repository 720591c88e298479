using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>What the status page shows: who works on what, and how it goes at this moment.</summary>
internal sealed record StatusReport(string Version, string Broker, string Handler, double AtMilliseconds, EngineStatus Engine);
