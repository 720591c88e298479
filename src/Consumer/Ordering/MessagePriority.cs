using System.Globalization;
using Holdfast.Broker;
using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>Which priority a message has on the Process lane: that of a property, where one is named and holds a priority, otherwise the broker's. Any thread.</summary>
internal sealed class MessagePriority(string? property, string queue, ILogger log)
{
    private const int LongestShown = 40;

    private int _hasComplained;

    public byte Of(Message message)
    {
        if (string.IsNullOrWhiteSpace(property) || PropertyValue.Of(message, property) is not { } text)
            return message.Priority;
        if (byte.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var priority))
            return priority;

        // Once: whoever sends one such message sends many.
        if (Interlocked.Exchange(ref _hasComplained, 1) == 0)
            log.NoPriority(queue, property, text.Length <= LongestShown ? text : text[..LongestShown] + "...");
        return message.Priority;
    }
}
