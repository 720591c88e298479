using System.Diagnostics;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>One sleeper is called at a time: whoever relies on a call that another has made must be served by it.</summary>
public sealed class CallTests
{
    private const int Posters = 4;
    private const int Posts = 25_000;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private int _run;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task However_posts_and_falling_asleep_meet_no_post_is_left_lying(int threads)
    {
        using var lanes = new LaneScheduler(new() { Threads = threads }, TimeProvider.System);

        var posting = Task.WhenAll(Enumerable.Range(0, Posters).Select(_ => Task.Run(() => PostAsync(lanes))));

        // A busy machine may be slow; but where a post is left lying, its poster comes no further, and soon none does.
        for (var before = -1; !posting.IsCompleted;)
        {
            var now = Volatile.Read(ref _run);
            Assert.NotEqual(before, now);
            before = now;
            await Task.WhenAny(posting, Task.Delay(s_patience));
        }

        await posting;
    }

    [Fact]
    public async Task What_was_posted_before_the_one_that_was_called_has_come_is_run_by_another_if_that_one_is_busy()
    {
        using var lanes = new LaneScheduler(new() { Threads = 2 }, TimeProvider.System);

        // More than once, for the one that is called may be quicker than the second post. It burns its turn: one that blocked would be replaced.
        for (var round = 0; round < 50; round++)
        {
            var isRun = false;
            var first = RunAsync(lanes, () => Assert.True(BurnUntil(ref isRun)));
            var second = RunAsync(lanes, () => Volatile.Write(ref isRun, true));
            await Task.WhenAll(first, second);
        }
    }

    private static bool BurnUntil(ref bool isDone)
    {
        var begun = Stopwatch.GetTimestamp();
        while (!Volatile.Read(ref isDone) && Stopwatch.GetElapsedTime(begun) < s_patience)
            Thread.SpinWait(100);
        return Volatile.Read(ref isDone);
    }

    private static async Task RunAsync(LaneScheduler lanes, Action act)
    {
        await lanes.Turn(Lane.Receive);
        act();
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
    }

    // One at a time, so that the threads fall asleep again and again.
    private async Task PostAsync(LaneScheduler lanes)
    {
        for (var n = 0; n < Posts; n++)
        {
            await lanes.Turn(Lane.Receive);
            Interlocked.Increment(ref _run);
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        }
    }
}
