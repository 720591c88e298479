using System.Text.RegularExpressions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Looks at one of our own queues that are to keep a message until the next one has it, and that nobody ever consumes.</summary>
internal static partial class WayTerms
{
    public static IEnumerable<Finding> Findings(QueueReport way, string queue, QueueType type)
    {
        if (way is { Type: "quorum", Overflow: not "reject-publish" })
            yield return Finding.Warning($"What '{way.Name}' hands on may be lost, for a policy sets its overflow to {way.Overflow}; set a policy of higher priority with overflow reject-publish for '{queue}.wait.*' and '{queue}.replay*'.");
        if (way.Expiry is { } expiry)
            yield return Finding.Warning($"The server deletes '{way.Name}', with all that waits in it, after {expiry:c} (expires), for nobody ever consumes it; set a policy of higher priority without expires for '{queue}.wait.*' and '{queue}.replay*'.");
        if (way.MessageLife is { } life && way.Wait is { } wait && life < wait)
            yield return Finding.Warning($"What waits in '{way.Name}' comes after {life:c} already, for a policy sets message-ttl; set a policy of higher priority without message-ttl for '{queue}.wait.*'.");
        if (type == QueueType.Quorum && way.Type == "classic" && IsWait(way.Name, queue))
            yield return Finding.Warning($"'{way.Name}' is a classic queue, and stands in the way of the quorum queue of that name: nothing can be delayed for that long. Delete it once it is empty.");
    }

    /// <summary>Whether a queue is one by which delayed or replayed messages go.</summary>
    public static bool IsWay(string? name) => name is not null && Way().IsMatch(name);

    private static bool IsWait(string? name, string queue) =>
        name?.StartsWith($"{queue}.wait.", StringComparison.Ordinal) == true && name[$"{queue}.wait.".Length..].All(char.IsAsciiDigit);

    [GeneratedRegex(@"\.(wait\.[0-9]+|replay\.(track\.)?[0-9]+)(\.sure)?$", RegexOptions.CultureInvariant)]
    private static partial Regex Way();
}
