namespace Holdfast.Broker.RabbitMq;

/// <summary>The headers that are not the sender's: the server's, and ours.</summary>
internal static class HeaderNames
{
    /// <summary>How often deliveries of the message failed, by a quorum queue's count.</summary>
    public const string DeliveryCount = "x-delivery-count";

    /// <summary>How often the message was handed out and came back for whatever reason, by a quorum queue's count (RabbitMQ 4.3 and later).</summary>
    public const string AcquiredCount = "x-acquired-count";

    /// <summary>How often the message had been delivered when we sent it on: there the server begins to count anew.</summary>
    public const string EarlierDeliveries = "holdfast-deliveries";

    /// <summary>When the message was first sent, in milliseconds since 1970; the server's own interceptor uses this name as well.</summary>
    public const string SentAt = "timestamp_in_ms";

    /// <summary>The client's own number of a message that it waits to have confirmed.</summary>
    public const string Sequence = "x-dotnet-pub-seq-no";

    /// <summary>Where a dead letter had been sent to.</summary>
    public const string Exchange = "dead-letter-exchange";

    public const string RoutingKey = "dead-letter-routing-key";

    /// <summary>What the server itself notes of a message that a queue gave up: each queue and reason, the latest first.</summary>
    public const string Deaths = "x-death";

    /// <summary>What a message had come with, and could not be written again when it was put aside. It stays when the letter is sent again: whoever handles that may want to know.</summary>
    public const string LeftOut = "holdfast-left-out";

    private static readonly string[] s_internal = [SentAt, EarlierDeliveries, Sequence];

    /// <summary>Those that a handler has nothing to do with.</summary>
    public static ReadOnlySpan<string> Internal => s_internal;

    /// <summary>Whether it is one of them.</summary>
    public static bool IsInternal(string name) => Internal.Contains(name);

    /// <summary>
    /// Whether it may not be sent on: the counts are those of one queue and would count for another,
    /// and CC and BCC would make the server send further copies to whatever they name.
    /// </summary>
    public static bool IsForOnce(string name) => name is DeliveryCount or AcquiredCount or Sequence || IsOfFurtherQueues(name);

    /// <summary>Whether the server reads in it where else the message is to go. Of a kind that it does not want there, it ends the channel, and tells everybody whose message is on its way.</summary>
    public static bool IsOfFurtherQueues(string name) => name is "CC" or "BCC";

    /// <summary>Whether it tells of a death, ours or the server's telling: a message that is sent again begins without.</summary>
    public static bool IsOfDeath(string name) => DeadLetterProperties.IsOne(name) || IsServersNoteOfDeath(name);

    /// <summary>
    /// Whether the server wrote it when a queue gave the message up. It reads that again whenever a queue gives a message up to another:
    /// one that has died in the other before, with no rejection since, goes round for ever as it sees it, and is dropped.
    /// </summary>
    public static bool IsServersNoteOfDeath(string name) =>
        name is Deaths
        || name.StartsWith("x-first-death-", StringComparison.Ordinal)
        || name.StartsWith("x-last-death-", StringComparison.Ordinal);
}
