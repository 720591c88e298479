using System.Runtime.InteropServices;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Plays worlds, one after the other, and judges them.</summary>
internal static class Simulator
{
    /// <summary>Plays the worlds of so many seeds, until a rule is broken. Null where none is. For engines in load contexts of their own: it takes and gives nothing of ours.</summary>
    public static string? FirstBroken(int first, int count)
    {
        using var carriers = new Carriers();
        for (var seed = first; seed < first + count; seed++)
        {
            if (Play(Planner.Plan(seed), carriers).Violations is [var violation, ..])
                return $"seed {seed}, the {seed - first + 1}. world: {violation}";
        }

        return null;
    }

    public static Outcome Play(WorldPlan plan, Carriers carriers) => Play(plan, carriers, []);

    /// <param name="plan">What is to be played.</param>
    /// <param name="carriers">Real threads for it.</param>
    /// <param name="events">Empty; takes what happens, and is the outcome's.</param>
    public static Outcome Play(WorldPlan plan, Carriers carriers, List<Event> events)
    {
        using var world = new World(plan, carriers, events);
        try
        {
            world.Play();
        }
        catch (Exception fault) when (fault is not OutOfMemoryException)
        {
            return new(plan, events, [new("Machine", world.Now, fault.Message)]);
        }

        return new(plan, events, Rule.Check(plan, CollectionsMarshal.AsSpan(events)));
    }
}

/// <summary>What became of a world.</summary>
internal sealed record Outcome(WorldPlan Plan, IReadOnlyList<Event> Events, IReadOnlyList<Violation> Violations);
