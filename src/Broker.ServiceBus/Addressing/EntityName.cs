using System.Buffers;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// A queue (<c>orders</c>), a subscription (<c>events/Subscriptions/mail</c>), a topic to send to, or the dead letters of either of the first two
/// (<c>orders/$DeadLetterQueue</c>).
/// </summary>
internal sealed record EntityName
{
    private const string SubscriptionsSegment = "Subscriptions";
    private const string DeadLettersSegment = "$DeadLetterQueue";
    private const string TransferSegment = "$Transfer";
    private const int LongestName = 260;
    private const int LongestSubscription = 50;

    private static readonly SearchValues<char> s_forbidden = SearchValues.Create(@"\?#&<>*:");

    private EntityName(string path, string owner, bool isSubscription, bool isSubqueue)
    {
        Path = path;
        Owner = owner;
        IsOfSubscription = isSubscription;
        IsSubqueue = isSubqueue;
    }

    /// <summary>Its address within the namespace.</summary>
    public string Path { get; }

    /// <summary>Where requests about it go.</summary>
    public string Management => $"{Path}/$management";

    /// <summary>Whether a copy of one of its messages can be sent to it: to a subscription or to dead letters nobody can send.</summary>
    public bool CanBeSentTo => !IsOfSubscription && !IsSubqueue;

    /// <summary>The queue or topic that it is, or that it belongs to.</summary>
    public string Owner { get; }

    /// <summary>Whether it is a subscription, or the dead letters of one.</summary>
    public bool IsOfSubscription { get; }

    public bool IsSubqueue { get; }

    /// <exception cref="BrokerException">It is no name of an entity.</exception>
    public static EntityName Parse(string name)
    {
        var segments = name.Trim('/', ' ').Split('/');
        if (segments.Any(segment => segment.Length == 0 || segment.AsSpan().ContainsAny(s_forbidden)))
            throw Wrong(name);

        var isSubqueue = Is(segments[^1], DeadLettersSegment);
        var entity = segments.AsSpan(0, segments.Length - (isSubqueue ? 1 : 0));
        if (isSubqueue && !entity.IsEmpty && Is(entity[^1], TransferSegment))
            entity = entity[..^1];
        if (entity.IsEmpty || entity[^1].StartsWith('$'))
            throw Wrong(name);

        var isSubscription = entity.Length >= 3 && Is(entity[^2], SubscriptionsSegment);
        if (!isSubscription && (Is(entity[^1], SubscriptionsSegment) || (entity.Length > 1 && Is(entity[0], SubscriptionsSegment))))
            throw Wrong(name);
        var owner = string.Join('/', isSubscription ? entity[..^2] : entity);
        if (owner.Length > LongestName || (isSubscription && entity[^1].Length > LongestSubscription))
            throw Wrong(name);
        return new EntityName(string.Join('/', segments), owner, isSubscription, isSubqueue);
    }

    /// <summary>The same, where the credentials may be for one entity only.</summary>
    /// <exception cref="BrokerException">It is no name of an entity, or of another one.</exception>
    public static EntityName Parse(string name, string? entityPath)
    {
        var entity = Parse(name);
        return entityPath is null || entity.IsWithin(entityPath)
            ? entity
            : throw new BrokerException(
                $"The EntityPath in {OptionRules.Connection} is '{entityPath}', and '{entity}' is asked for. Leave the EntityPath out, or name the same in both.",
                isTransient: false);
    }

    /// <exception cref="BrokerException">Nothing can be sent to it; the message says what to do instead.</exception>
    public void ThrowIfNotSendable(string instead = "send to the queue or topic that it belongs to.")
    {
        if (!CanBeSentTo)
            throw new BrokerException($"Nothing can be sent to '{this}': {instead}", isTransient: false);
    }

    /// <summary>The name of what holds the dead letters of a queue or subscription.</summary>
    public static string DeadLettersOf(string name) => $"{name.TrimEnd('/')}/{DeadLettersSegment}";

    /// <summary>Whether credentials for <paramref name="entityPath"/> can be used for it: they are for that entity, or for the topic that it belongs to.</summary>
    public bool IsWithin(string entityPath) =>
        Path.Equals(entityPath, StringComparison.OrdinalIgnoreCase)
        || Path.StartsWith(entityPath + "/", StringComparison.OrdinalIgnoreCase);

    public override string ToString() => Path;

    private static bool Is(string segment, string name) => segment.Equals(name, StringComparison.OrdinalIgnoreCase);

    private static BrokerException Wrong(string name) => new(
        $"'{name}' names no queue of Service Bus. Set Worker__Queue to a queue's name, to topic/Subscriptions/name, or to either with /{DeadLettersSegment} behind it.",
        isTransient: false);
}
