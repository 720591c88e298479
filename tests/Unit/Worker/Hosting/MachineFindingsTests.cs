using Holdfast.Broker;
using Holdfast.Worker.Hosting;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class MachineFindingsTests
{
    [Theory]
    [InlineData(2, 1.5, 1, true, "Worker__Threads is 2, and the CPU quota of 1.5 feeds 1: the kernel will stop all threads at times")]
    [InlineData(3, 2, 2, false, "Worker__Threads is 3, and there are 2 CPUs: where handlers are busy, the threads of the leases will wait for one at times.")]
    [InlineData(1, 0.3, 1, true, "The CPU quota is 0.3: the kernel will stop even a single busy thread at times.")]
    public void A_quota_that_stops_all_threads_is_told_from_CPUs_that_they_share(int threads, double cpus, int fed, bool isQuota, string warning)
    {
        var finding = MachineFindings.Threads(threads, cpus, fed, isQuota);

        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.StartsWith(warning, finding.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2, 2.5, true, "The CPU quota of 2.5 is enough for 2 threads that run handlers.")]
    [InlineData(1, 4, false, "The 4 CPUs are enough for one thread that runs handlers.")]
    [InlineData(1, 1, false, "The one CPU is enough for one thread that runs handlers.")]
    public void Threads_that_are_fed_are_well(int threads, double cpus, bool isQuota, string told) =>
        Assert.Equal(Finding.Ok(told), MachineFindings.Threads(threads, cpus, (int)cpus, isQuota));
}
