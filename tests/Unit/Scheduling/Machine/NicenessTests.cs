using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class NicenessTests
{
    [Fact]
    public void It_is_raised_for_the_calling_thread_alone_and_never_lowered()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Nice() < 19, "a nice value belongs to a thread on Linux only, and ends at 19");
        var before = Nice();
        var (raised, lowered, after) = (false, true, 0);
        var thread = new Thread(() =>
        {
            raised = Niceness.TryRaise(before + 1);
            lowered = Niceness.TryRaise(before);
            after = Nice();
        });
        thread.Start();
        thread.Join();

        Assert.True(raised);
        Assert.False(lowered);
        Assert.Equal((before + 1, before), (after, Nice()));
    }

    private static int Nice()
    {
        var stat = File.ReadAllText("/proc/thread-self/stat");
        return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[16]);
    }
}
