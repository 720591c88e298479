namespace Holdfast.Tests.Integration;

/// <summary>Tests that change the whole server, or count what comes out otherwise on a busy machine: none runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
