using Holdfast.Tests.Worlds;
using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation.Command;

/// <summary>What a person needs of a broken world: the seed, the shortest story found, and how to play it again.</summary>
internal static class Report
{
    public static string Of(Outcome broken, Carriers carriers)
    {
        var shrunk = new Shrinker(carriers).Shrink(broken);
        return $"""

            Seed {broken.Plan.Seed} breaks a rule: {broken.Violations[0]}
            The least of that world that still breaks it:

            {Story.Tell(shrunk)}
            To play it again: make simulate SEED={broken.Plan.Seed}

            """;
    }
}
