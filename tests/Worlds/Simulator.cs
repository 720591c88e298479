using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Plays worlds, one after the other, and judges them.</summary>
internal static class Simulator
{
    public static Outcome Play(WorldPlan plan, Carriers carriers)
    {
        using var world = new World(plan, carriers);
        try
        {
            world.Play();
        }
        catch (Exception fault) when (fault is not OutOfMemoryException)
        {
            return new(plan, world.Log.Events, [new("Machine", world.Now, fault.Message)]);
        }

        return new(plan, world.Log.Events, Rule.Check(plan, world.Log.Events));
    }
}

/// <summary>What became of a world.</summary>
internal sealed record Outcome(WorldPlan Plan, IReadOnlyList<Event> Events, IReadOnlyList<Violation> Violations);
