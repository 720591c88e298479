using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Whether the messages that may be in hand fit into the memory that the process may have. Pure.</summary>
internal static class MemoryNeed
{
    private const double Megabyte = 1024 * 1024;

    // What it takes without a message, and how often a message is there: as it came, and as handlers read it.
    private const double Process = 100;
    private const double Copies = 2;

    // Of a container's memory, the part that .NET lets its heap take.
    private const double HeapShare = 0.75;

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
        Math.Floor((has - Process) / Copies / queues) is >= 1 and var each ? $", or set Worker__MaxBytesInFlight to {each * Megabyte:0} or less" : "";
}
