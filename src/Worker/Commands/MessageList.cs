using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>Shows messages, a line each.</summary>
internal static class MessageList
{
    /// <summary>Shows them as they come, and tells how many there were.</summary>
    public static async Task<int> ShowAsync(Screen screen, IAsyncEnumerable<QueuedMessage> messages, bool withBody)
    {
        var shown = 0;
        await foreach (var message in messages)
        {
            screen.Data(MessageView.Of(message, withBody));
            if (shown++ == 0)
                screen.Line(MessageText.Head);
            screen.Line(MessageText.Row(message));
        }

        return shown;
    }

    /// <summary>There may be more than were shown. A machine that asked for no more need not be told.</summary>
    public static void TellOfMore(Screen screen, int shown, bool isAsked)
    {
        var text = $"{shown} shown; there may be more (--limit).";
        if (isAsked)
            screen.Line(text);
        else
            screen.Note(text);
    }
}
