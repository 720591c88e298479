using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What tells messages apart that are to be handled one at a time: the value of a property, or the session. Any thread.</summary>
internal static class OrderKey
{
    private const string Session = "session";

    /// <summary>Null where there is none, and nothing orders the message.</summary>
    /// <param name="message">The message.</param>
    /// <param name="by"><see cref="QueueOptions.OrderBy"/>.</param>
    public static string? Of(Message message, string? by)
    {
        var key = string.IsNullOrWhiteSpace(by) ? null : IsSession(by) ? message.SessionId : PropertyValue.Of(message, by);
        return string.IsNullOrEmpty(key) ? null : key;
    }

    /// <summary>Whether it is the session that orders.</summary>
    public static bool IsSession(string by) => by.Equals(Session, StringComparison.OrdinalIgnoreCase);
}
