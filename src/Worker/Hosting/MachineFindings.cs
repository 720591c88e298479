using Holdfast.Broker;
using Holdfast.Scheduling;
using Holdfast.Worker.Exec;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Hosting;

/// <summary>Whether this machine, or the container, gives the worker what it needs with these settings: told at its start, and by whoever checks it.</summary>
internal static class MachineFindings
{
    public static IEnumerable<Finding> Of(WorkerSettings settings)
    {
        yield return Threads(settings.Threads);
        if (MemoryNeed.Warning(MemoryNeed.Heap, [.. settings.Queues.Select(queue => queue.Options.MaxBytesInFlight)]) is { } memory)
            yield return memory;
        if (FileNeed.Warning(settings) is { } files)
            yield return files;
    }

    private static Finding Threads(int threads) =>
        threads > CpuQuota.WorkerThreads
            ? Finding.Warning($"Worker__Threads is {threads}, and the CPU quota of {CpuQuota.Cpus:0.##} feeds {CpuQuota.WorkerThreads}: the kernel will stop all threads at times, those of the leases too. Leave it out, or give the worker more CPUs.")
            : CpuQuota.Cpus < 1
            ? Finding.Warning($"The CPU quota is {CpuQuota.Cpus:0.##}: the kernel will stop even a single busy thread at times. Give the worker 1 CPU or more.")
            : Finding.Ok($"The CPU quota of {CpuQuota.Cpus:0.##} feeds {(threads == 1 ? "the one thread that runs handlers" : $"{threads} threads that run handlers")}.");
}
