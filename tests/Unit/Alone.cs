namespace Holdfast.Tests.Unit;

/// <summary>
/// Tests that run while no other does: another engine of this process tells through a meter of the same name, and what is told ends when that is disposed;
/// who listens to exceptions is told of them on the thread that throws; a thread that has to wait while another's garbage is collected is blocked; and the pool is everybody's.
/// </summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
