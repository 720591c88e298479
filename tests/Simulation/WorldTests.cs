using Holdfast.Tests.Simulation.Command;
using Holdfast.Tests.Worlds;
using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation;

public sealed class WorldTests(ITestOutputHelper output) : IDisposable
{
    // Always the same ones, so that a change is judged by what it changes; new ones are for `make simulate`.
    private const int Count = 3000;

    private readonly Carriers _carriers = new();

    public void Dispose() => _carriers.Dispose();

    [Fact]
    public void Whatever_happens_no_rule_is_broken() => Play(first: 1, Count);

    // What was wrong there is told in the changelog. A seed stands for it until worlds are planned in another way.
    [Theory]
    [InlineData(40_066_508)]
    [InlineData(40_098_904)]
    [InlineData(40_123_573)]
    public void A_world_that_broke_a_rule_once_breaks_it_no_more(int seed) => Play(seed, 1);

    [Fact]
    public void The_same_seed_gives_the_same_world_event_for_event()
    {
        for (var seed = 1; seed <= 200; seed++)
            Assert.Equal(Events(seed), Events(seed));
    }

    [Fact]
    public void The_worlds_are_full_of_bad_luck()
    {
        var kinds = new HashSet<(EventKind, long)>();
        for (var seed = 1; seed <= 300; seed++)
        {
            foreach (var happened in Events(seed))
                kinds.Add((happened.Kind, happened.Kind is EventKind.Trouble or EventKind.RenewAnswered or EventKind.Ended ? happened.A : 0));
        }

        Assert.All(Enum.GetValues<TroubleKind>(), kind => Assert.Contains((EventKind.Trouble, (long)kind), kinds));
        Assert.All(Enum.GetValues<Ending>(), ending => Assert.Contains((EventKind.Ended, (long)ending), kinds));
        foreach (var kind in (EventKind[])[EventKind.Crashed, EventKind.Halted, EventKind.Revoked, EventKind.LetGo, EventKind.CalledOff, EventKind.FoundDead, EventKind.StoreKept])
            Assert.Contains((kind, 0L), kinds);
    }

    private IReadOnlyList<Event> Events(int seed) => Simulator.Play(Planner.Plan(seed), _carriers).Events;

    private void Play(int first, int count)
    {
        output.WriteLine($"{count} worlds from seed {first} on");
        List<Outcome> broken = [];
        new Campaign(first, count).Run(Environment.ProcessorCount, outcome =>
        {
            lock (broken)
                broken.Add(outcome);
        }, CancellationToken.None);

        if (broken.Count > 0)
            Assert.Fail($"{broken.Count} of {count} worlds break a rule.\n{Report.Of(broken.MinBy(outcome => outcome.Plan.Seed)!, _carriers)}");
    }
}
