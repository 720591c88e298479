using System.Text;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class ThreadSampleTests
{
    private const string Numbers = "3579 3579 2784 0 -1 4194304 106 0 0 0 12 3 0 0 20 0 1 0 75700 3133440 382";

    [Theory]
    [InlineData("R", ThreadActivity.Running)]
    [InlineData("S", ThreadActivity.Sleeping)]
    [InlineData("D", ThreadActivity.Sleeping)]
    [InlineData("T", ThreadActivity.Unknown)]
    [InlineData("Z", ThreadActivity.Unknown)]
    internal void The_letter_tells_what_it_does(string letter, ThreadActivity activity) =>
        Assert.Equal(activity, Parse($"42 (worker) {letter} {Numbers}").Activity);

    [Theory]
    [InlineData("two words")]
    [InlineData(":-) S 1 2")]
    [InlineData("((R) ) S")]
    [InlineData(")")]
    [InlineData("")]
    public void Its_name_may_hold_anything(string name) =>
        Assert.Equal(
            new ThreadSample(ThreadActivity.Running, TimeSpan.FromMilliseconds(150)),
            Parse($"42 ({name}) R {Numbers}\n"));

    [Fact]
    public void Schedstat_tells_the_time_on_a_cpu() =>
        Assert.Equal(
            new ThreadSample(ThreadActivity.Sleeping, TimeSpan.FromSeconds(1.5)),
            Parse($"42 (worker) S {Numbers}\n", "1500000000 7000 135\n"));

    [Theory]
    [InlineData("1500000000 7000000 135\n", 7)]
    [InlineData("1500000000", 0)]
    [InlineData("", 0)]
    public void Schedstat_tells_the_time_without_a_cpu_too(string schedstat, int expectedMs) =>
        Assert.Equal(TimeSpan.FromMilliseconds(expectedMs), ThreadSample.WaitForCpu(Encoding.UTF8.GetBytes(schedstat)));

    [Theory]
    [InlineData("")]
    [InlineData("0 0 0\n")]
    [InlineData("much more\n")]
    public void Without_schedstat_user_and_system_time_are_added_up(string schedstat) =>
        Assert.Equal(TimeSpan.FromMilliseconds(150), Parse($"42 (worker) S {Numbers}\n", schedstat).CpuTime);

    [Theory]
    [InlineData("")]
    [InlineData("42 (worker)")]
    [InlineData("42 (worker) ")]
    [InlineData("nonsense")]
    public void Malformed_text_tells_nothing(string stat) => Assert.Equal(default, Parse(stat));

    [Theory]
    [InlineData(ThreadState.Running, ThreadActivity.Running)]
    [InlineData(ThreadState.Background, ThreadActivity.Running)]
    [InlineData(ThreadState.Background | ThreadState.WaitSleepJoin, ThreadActivity.Sleeping)]
    internal void Without_files_the_state_that_dotnet_keeps_must_do(ThreadState state, ThreadActivity activity) =>
        Assert.Equal(activity, ThreadSample.Of(state).Activity);

    private static ThreadSample Parse(string stat, string schedstat = "") =>
        ThreadSample.Parse(Encoding.UTF8.GetBytes(stat), Encoding.UTF8.GetBytes(schedstat));
}
