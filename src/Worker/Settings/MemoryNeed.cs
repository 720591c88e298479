using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>How many bytes of messages in hand fit into the memory that the process may have, and whether those that may be do.</summary>
internal static class MemoryNeed
{
    private const double Megabyte = 1024 * 1024;

    // What it takes without a message, and how often a message is there: as it came, and as handlers read it.
    private const double Process = 100;
    private const double Copies = 2;

    // Of a container's memory, the part that .NET lets its heap take.
    private const double HeapShare = 0.75;

    private static readonly double s_usual = new QueueOptions().MaxBytesInFlight / Megabyte;

    /// <summary>The most bytes that the heap may take here.</summary>
    public static long Heap => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    /// <summary>The most bytes in flight of each queue where nobody sets them: as many as usual, or what there is room for. With what is hardly any, one message at a time still fits.</summary>
    public static long InFlight(long heap, int queues) => (long)(Math.Clamp(Each(heap / Megabyte, queues), 1, s_usual) * Megabyte);

    /// <summary>What is wrong, if anything is.</summary>
    /// <param name="heap">The most bytes that the heap may take.</param>
    /// <param name="inFlight">The most bytes in flight, of each queue.</param>
    public static Finding? Warning(long heap, IReadOnlyCollection<long> inFlight)
    {
        var (has, held) = (heap / Megabyte, inFlight.Sum(bytes => bytes / Megabyte));
        var wanted = Process + (Copies * held);
        return has >= wanted
            ? null
            : Finding.Warning(
                $"The heap may take {has:0} MB here, and {wanted:0} are wanted: {Process:0} for the process, and twice the {held:0} of Worker__MaxBytesInFlight{(inFlight.Count == 1 ? "" : ", of all queues together")}. "
                + $"Give the worker {Math.Ceiling(wanted / HeapShare):0} MB of memory{Less(has, inFlight.Count)}.");
    }

    private static string Less(double has, int queues) =>
        Each(has, queues) is >= 1 and var each ? $", or set Worker__MaxBytesInFlight to {each * Megabyte:0} or less" : "";

    private static double Each(double has, int queues) => Math.Floor((has - Process) / Copies / queues);
}
