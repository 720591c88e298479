using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Where a look goes on behind what it was shown in one answer.</summary>
internal static class PageEnd
{
    // Azure cuts an answer short at 256 KB, and how much of that a message takes can only be guessed.
    private const int Small = 128 * 1024;

    /// <summary>The number to ask for next; null where nothing more is to be looked for.</summary>
    /// <param name="page">What was shown, in the order of its numbers.</param>
    /// <param name="asked">How many it might have been.</param>
    /// <param name="behind">The number behind the last one that was shown.</param>
    /// <param name="begunAt">When the look began. What came since is not looked for.</param>
    public static long? Next(IReadOnlyList<AmqpMessage> page, int asked, long behind, DateTimeOffset begunAt)
    {
        if (page.Count == 0)
            return null;

        // Where messages keep coming no page is empty. A short one alone may have more behind it: the broker gives fewer where they are large; and by a clock
        // that is behind all messages are new.
        if (page.Count == asked || page.Any(message => Letter.EnqueuedAt(message) <= begunAt) || page.Sum(WeightOf) >= Small)
            return behind;

        // That was the end of a part, and the others may have older ones.
        return Partition.Next(behind - 1);
    }

    private static long WeightOf(AmqpMessage message) => MessageWeight.Of(message, BodyBytes.Of(message.Body));
}
