using Holdfast.Broker;
using Holdfast.Scheduling;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>Whether the process may have as many files open as its commands need. Once it has none left messages fail, the management port does not answer, and .NET may end the process.</summary>
internal static class FileNeed
{
    // The two ends of a command's input, output and errors are six; ours stay open.
    private const int Streams = 3;

    /// <summary>What is wrong on this machine, if anything is.</summary>
    public static Finding? Warning(WorkerSettings settings) => Warning(
        FileLimit.Most,
        [.. settings.Queues.Where(queue => queue.Handling.Uses("Exec")).Select(queue => queue.MostAtOnce)]);

    /// <summary>What is wrong, if anything is.</summary>
    /// <param name="most">The most files that may be open.</param>
    /// <param name="commands">How many commands may run at once, of each queue that has any.</param>
    public static Finding? Warning(long most, IReadOnlyCollection<int> commands)
    {
        var wanted = FileLimit.OfProcess + (Streams * commands.Sum());
        return commands.Count == 0 || most >= wanted
            ? null
            : Finding.Warning(
                $"{most} files may be open here, and {wanted} are wanted: {FileLimit.OfProcess} for the process, and {Streams} for each of {commands.Sum()} commands at once (Worker__Exec__Processes{(commands.Count == 1 ? "" : ", of all queues together")}). "
                + $"Raise the limit (ulimit -n){Fewer(most, commands.Count)}.");
    }

    private static string Fewer(long most, int queues) =>
        (most - FileLimit.OfProcess) / Streams / queues is >= 1 and var each ? $", or set Worker__Exec__Processes to {each} or less" : "";
}
