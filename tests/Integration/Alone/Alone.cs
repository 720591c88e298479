namespace Holdfast.Tests.Integration;

/// <summary>Tests that change the whole server: none runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
