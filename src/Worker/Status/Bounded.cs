using Holdfast.Consumer;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Status;

/// <summary>Keeps what others wrote, such as message ids and a broker's complaints, from filling the page.</summary>
internal static class Bounded
{
    private const int LongestId = 120;
    private const int LongestProblem = 400;

    public static string Id(string id) => Printable.Cut(id, LongestId);

    public static EngineStatus Texts(EngineStatus status) => status with
    {
        Fault = Problem(status.Fault),
        Queues = [.. status.Queues.Select(queue => queue with { Problem = Problem(queue.Problem) })],
    };

    public static IEnumerable<LeaseMiss> Texts(IEnumerable<LeaseMiss> misses) => misses.Select(miss => miss with { MessageId = Id(miss.MessageId) });

    public static IEnumerable<HeldLease> Texts(IEnumerable<HeldLease> leases) => leases.Select(lease => lease with { MessageId = Id(lease.MessageId) });

    private static string? Problem(string? problem) => problem is null ? null : Printable.Cut(problem, LongestProblem);
}
