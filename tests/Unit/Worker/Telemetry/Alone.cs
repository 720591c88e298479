namespace Holdfast.Tests.Unit.Worker.Telemetry;

/// <summary>Tests that run while no other does: another engine of this process tells through a meter of the same name, and what is told ends when that is disposed.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
