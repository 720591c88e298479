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
        yield return Threads(settings.Threads, CpuQuota.Cpus, CpuQuota.WorkerThreads, CpuQuota.IsQuota);
        if (MemoryNeed.Warning(MemoryNeed.Heap, [.. settings.Queues.Select(queue => queue.Options.MaxBytesInFlight)]) is { } memory)
            yield return memory;
        if (FileNeed.Warning(settings) is { } files)
            yield return files;
    }

    /// <summary>Whether the CPUs, or a quota of them, feed so many threads.</summary>
    internal static Finding Threads(int threads, double cpus, int fed, bool isQuota)
    {
        if (threads > fed && !isQuota)
            return Finding.Warning($"Worker__Threads is {threads}, and there are {cpus:0} CPUs: where handlers are busy, the threads of the leases will wait for one at times. Leave it out, or give the worker more CPUs.");
        if (threads > fed)
            return Finding.Warning($"Worker__Threads is {threads}, and the CPU quota of {cpus:0.##} feeds {fed}: the kernel will stop all threads at times, those of the leases too. Leave it out, or give the worker more CPUs.");
        if (cpus < 1)
            return Finding.Warning($"The CPU quota is {cpus:0.##}: the kernel will stop even a single busy thread at times. Give the worker 1 CPU or more.");
        var handlers = threads == 1 ? "one thread that runs handlers" : $"{threads} threads that run handlers";
        return Finding.Ok($"{(isQuota ? $"The CPU quota of {cpus:0.##} is" : cpus == 1 ? "The one CPU is" : $"The {cpus:0} CPUs are")} enough for {handlers}.");
    }
}
