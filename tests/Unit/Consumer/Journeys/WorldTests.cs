using FsCheck;
using FsCheck.Fluent;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class WorldTests
{
    private static readonly Arbitrary<int> s_seeds = Gen.Choose(0, int.MaxValue).ToArbitrary();

    [Fact]
    public void Whatever_happens_each_message_ends_once_and_no_rule_is_broken() =>
        Prop.ForAll(s_seeds, seed => { Play(seed); }).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public void The_same_seed_gives_the_same_life_event_for_event() =>
        Prop.ForAll(s_seeds, seed => Assert.Equal(Play(seed), Play(seed))).Check(Config.QuickThrowOnFailure.WithMaxTest(20));

    private static IReadOnlyList<string> Play(int seed)
    {
        using var world = new World(seed);
        return world.Play().Events;
    }
}
