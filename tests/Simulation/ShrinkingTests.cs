using Holdfast.Tests.Worlds;
using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation;

public sealed class ShrinkingTests : IDisposable
{
    private readonly Carriers _carriers = new();

    public void Dispose() => _carriers.Dispose();

    // The one rule that no engine can keep: what nobody ever takes is never settled.
    [Fact]
    public void A_broken_world_is_shrunk_to_what_it_takes_to_break_it_and_told()
    {
        var plan = Planner.Plan(29);
        Assert.True(plan is { Queues.Length: > 1, Workers.Length: > 1, Troubles.Length: > 0 });
        plan = plan with { Workers = [.. plan.Workers.Select(worker => worker with { StartAt = TimeSpan.FromHours(2) })], CalmAt = TimeSpan.FromHours(1) };
        var broken = Simulator.Play(plan, _carriers);
        Assert.NotEmpty(broken.Violations);

        var shrunk = new Shrinker(_carriers).Shrink(broken);

        Assert.Equal(broken.Violations[0].Rule, shrunk.Violations[0].Rule);
        Assert.Empty(shrunk.Plan.Troubles);
        Assert.Empty(Assert.Single(shrunk.Plan.Messages).Steps);
        Assert.Single(shrunk.Plan.Workers);
        Assert.Single(shrunk.Plan.Queues);
        var story = Story.Tell(shrunk);
        Assert.Contains("m0: queue 0, sent at", story, StringComparison.Ordinal);
        Assert.Contains("BROKEN EachMessageEndsOnce", story, StringComparison.Ordinal);
    }
}
