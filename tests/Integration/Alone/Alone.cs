namespace Holdfast.Tests.Integration;

/// <summary>Tests that count what comes out otherwise on a busy machine, or fill it themselves: none runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
[Trait("Runs", "alone")]
public sealed class Alone;
