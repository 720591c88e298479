using System.Text;

namespace Holdfast.Broker.RabbitMq;

/// <summary>How long a queue's name may be.</summary>
internal static class QueueName
{
    private const int MostShown = 40;

    /// <summary>How many bytes the name of a queue that is consumed may have: with <c>.wait.310000000000.sure</c> behind it, the longest that goes with it, it must be a name as well.</summary>
    public const int LongestConsumed = Server.LongestShortText - 23;

    public static int LengthOf(string queue) => Encoding.UTF8.GetByteCount(queue);

    /// <exception cref="BrokerException">It is longer.</exception>
    public static void Refuse(string queue, int longerThan)
    {
        if (LengthOf(queue) is var length && length > longerThan)
            throw new BrokerException($"A queue's name is {length} bytes long, and there is room for {longerThan}; shorten it: {queue[..MostShown]}...", isTransient: false);
    }
}
