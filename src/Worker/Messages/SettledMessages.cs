using Holdfast.Consumer;

namespace Holdfast.Worker.Messages;

/// <summary>How many messages of a queue were settled, in whatever way.</summary>
internal static class SettledMessages
{
    public static long Settled(this QueueStatus queue) => queue.Completed + queue.Abandoned + queue.Delayed + queue.DeadLettered;
}
