using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Which messages are meant: those of which all holds that is asked.</summary>
internal sealed record MessageFilter
{
    public IReadOnlyCollection<string> Ids { get; init; } = [];

    public string? Reason { get; init; }

    public DateTimeOffset? Before { get; init; }

    public DateTimeOffset? After { get; init; }

    public IReadOnlyCollection<KeyValuePair<string, string>> Properties { get; init; } = [];

    /// <summary>Whether every message is meant.</summary>
    public bool IsAll => Ids.Count == 0 && Reason is null && Before is null && After is null && Properties.Count == 0;

    public bool Matches(QueuedMessage message)
    {
        var since = message.PutAsideAt ?? message.EnqueuedAt;
        return (Ids.Count == 0 || Ids.Contains(message.Message.Id))
            && (Reason is null || Reason.Equals(message.Reason, StringComparison.OrdinalIgnoreCase))
            && (Before is null || since < Before)
            && (After is null || since > After)
            && Properties.All(wanted => message.Message.Properties.TryGetValue(wanted.Key, out var value) && PropertyMatch.Is(value, wanted.Value));
    }
}
