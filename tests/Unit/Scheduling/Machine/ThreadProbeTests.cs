using System.Runtime.InteropServices;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling.Machine;

public sealed class ThreadProbeTests
{
    [Fact]
    public void A_thread_that_samples_itself_runs()
    {
        using var probe = new ThreadProbe();
        Assert.Equal(ThreadActivity.Running, probe.Sample().Activity);
    }

    [Fact]
    public void Another_thread_sees_the_cpu_time_that_was_burnt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells");
        using var probe = new ThreadProbe();
        var burnt = OwnCpuTime() + TimeSpan.FromMilliseconds(30);
        while (OwnCpuTime() < burnt)
        {
        }

        ThreadSample sample = default;
        var other = new Thread(() => sample = probe.Sample());
        other.Start();
        other.Join();

        Assert.NotEqual(ThreadActivity.Unknown, sample.Activity);
        Assert.InRange(sample.CpuTime, burnt, OwnCpuTime());
    }

    [Fact]
    public void A_closed_probe_knows_nothing()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells");
        var probe = new ThreadProbe();
        probe.Dispose();
        Assert.Equal(default, probe.Sample());
    }

    [Fact]
    public void Sampling_allocates_nothing()
    {
        using var probe = new ThreadProbe();
        probe.Sample();

        Assert.Equal(0, Allocated.By(() => probe.Sample()));
    }

    [Fact]
    public void Where_the_files_are_missing_dotnets_own_state_is_used()
    {
        using var probe = new ThreadProbe("/nowhere");
        Assert.Equal(new ThreadSample(ThreadActivity.Running, TimeSpan.Zero), probe.Sample());
    }

    // The kernel brings its own count up to date for this call, so what the probe reads next cannot be less.
    private static TimeSpan OwnCpuTime()
    {
        const int ThreadCpuTime = 3;
        _ = ClockGetTime(ThreadCpuTime, out var time);
        return new TimeSpan((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick));
    }

    [DllImport("libc", EntryPoint = "clock_gettime")]
    private static extern int ClockGetTime(int clock, out ClockTime time);

    private readonly record struct ClockTime(nint Seconds, nint Nanoseconds);
}
