using System.Security.Cryptography;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// Whether two deliveries are of one message. By the id alone they are not: senders give one to several messages, and handlers theirs to what they publish.
/// So it counts, too, when it was first enqueued, in which session, and what is in it. What has no name is never known again. Any thread.
/// </summary>
internal static class Sameness
{
    private const int BytesOfHash = 8;

    public static bool AreOne(Delivery one, Delivery other) =>
        one.IsNamed
        && one.Message.Id == other.Message.Id
        && one.Origin == other.Origin
        && one.Message.SessionId == other.Message.SessionId
        && one.Message.Body.Span.SequenceEqual(other.Message.Body.Span);

    /// <summary>What its deliveries have in common, and hardly any other message has: the id first, for who looks into a store. Null where it has none.</summary>
    public static string? KeyOf(Delivery delivery)
    {
        if (!delivery.IsNamed)
            return null;

        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(delivery.Message.Body.Span, hash);
        var key = $"{delivery.Message.Id} {delivery.Origin} {Convert.ToHexStringLower(hash[..BytesOfHash])}";
        return delivery.Message.SessionId is { } session ? $"{key} {session}" : key;
    }
}
