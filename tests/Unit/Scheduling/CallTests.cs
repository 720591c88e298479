using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>One sleeper is called at a time: whoever relies on a call that another has made must be served by it.</summary>
public sealed class CallTests
{
    private const int Posters = 4;
    private const int Posts = 25_000;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task However_posts_and_falling_asleep_meet_no_post_is_left_lying(int threads)
    {
        using var lanes = new LaneScheduler(new() { Threads = threads }, TimeProvider.System);

        var posting = Task.WhenAll(Enumerable.Range(0, Posters).Select(_ => Task.Run(() => PostAsync(lanes))));

        await posting.WaitAsync(s_patience);
    }

    [Fact]
    public async Task While_one_is_in_a_long_turn_what_was_posted_with_it_is_run_by_another()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);
        using var isRun = new ManualResetEvent(false);

        // Both may be posted before the first one called has come.
        var blocking = Task.Run(async () =>
        {
            await lanes.Turn(Lane.Receive);
            Assert.True(isRun.WaitOne(s_patience));
        });
        var other = Task.Run(async () =>
        {
            await lanes.Turn(Lane.Receive);
            isRun.Set();
        });

        await Task.WhenAll(blocking, other).WaitAsync(s_patience);
    }

    // One at a time, so that the threads fall asleep again and again.
    private static async Task PostAsync(LaneScheduler lanes)
    {
        for (var n = 0; n < Posts; n++)
        {
            await lanes.Turn(Lane.Receive);
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
    }
}
