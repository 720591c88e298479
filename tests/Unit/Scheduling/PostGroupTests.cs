using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>What is posted together wakes others once, when all of it is there.</summary>
public sealed class PostGroupTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly LaneScheduler _lanes;
    private int _calls;

    public PostGroupTests() => _lanes = Lanes(() => _calls++);

    [Fact]
    public void Whoever_sleeps_is_called_once_and_at_the_end()
    {
        using (_lanes.Together())
        {
            Post(_lanes, 3);
            Assert.Equal(0, _calls);
        }

        Assert.Equal((1, 3), (_calls, _lanes.RunUntilIdle()));
    }

    [Fact]
    public void Nobody_is_called_for_what_has_been_run_meanwhile()
    {
        using (_lanes.Together())
        {
            Post(_lanes, 3);
            _lanes.RunUntilIdle();
        }

        Assert.Equal(0, _calls);
    }

    [Fact]
    public void After_it_each_post_calls_again()
    {
        using (_lanes.Together())
            Post(_lanes, 1);

        Post(_lanes, 2);

        Assert.Equal(1 + 2, _calls);
    }

    [Fact]
    public void A_group_of_other_lanes_inside_of_it_is_theirs_alone()
    {
        var others = 0;
        var other = Lanes(() => others++);

        using (_lanes.Together())
        {
            using (other.Together())
                Post(other, 2);
            Post(_lanes, 1);
            Assert.Equal((0, 1), (_calls, others));
        }

        Assert.Equal((1, 1), (_calls, others));
    }

    [Fact]
    public async Task However_many_threads_sleep_all_of_it_is_run()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);

        for (var round = 0; round < 10_000; round++)
            await Task.WhenAll(Together(lanes)).WaitAsync(s_patience, TestContext.Current.CancellationToken);
    }

    private static Task[] Together(LaneScheduler lanes)
    {
        using var together = lanes.Together();
        return [.. Enumerable.Range(0, 3).Select(n => lanes.NewStrand(0, $"{n}").Run(static () => { }))];
    }

    private static LaneScheduler Lanes(Action onCall) =>
        LaneScheduler.ByHands(new VirtualTime(), new() { Threads = 2 }, new HandSignals(onCall, static () => { }, static _ => { }));

    private static void Post(LaneScheduler lanes, int times)
    {
        for (var n = 0; n < times; n++)
            _ = lanes.NewStrand(0, $"{n}").Run(static () => { });
    }
}
