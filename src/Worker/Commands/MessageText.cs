using System.Globalization;
using Holdfast.Broker;
using Holdfast.Worker.Messages;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Commands;

/// <summary>A message as a terminal shows it: in a row of a list, or with all that it tells.</summary>
internal static class MessageText
{
    private const int LongestBody = 2_000;
    private const int LongestExcerpt = 80;
    private const int BytesInARow = 32;

    /// <summary>What is above the rows.</summary>
    public static string Head => Columns("since", "id", "reason", "about");

    /// <summary>A line: since when it is there, its name, and why, or what its body begins with.</summary>
    public static string Row(QueuedMessage message) => Columns(
        Time(message.PutAsideAt ?? message.EnqueuedAt),
        Printable.OneLine(message.Message.Id),
        Printable.OneLine(string.Join(", ", ((string?[])[message.Reason, Word(message)]).OfType<string>().DefaultIfEmpty("-"))),
        Printable.OneLine(Printable.Cut(message.Description ?? message.Unreadable ?? MessageView.TextOf(message.Message.Body) ?? $"{message.Message.Body.Length} bytes", LongestExcerpt)));

    /// <summary>What may be there all the same, where a look has found nothing.</summary>
    public static string Unseen(IBrokerDesk desk) => desk.SeesHeld ? "" : " What a worker or another command holds just now can't be seen.";

    /// <summary>All that it tells: of its death first, then its properties, then its body.</summary>
    public static IEnumerable<string> Story(QueuedMessage queued)
    {
        var message = queued.Message;
        yield return Told("id", message.Id);
        foreach (var (name, value) in new (string, object?)[]
        {
            ("state", Word(queued)),
            ("reason", queued.Reason),
            ("description", queued.Description),
            ("put aside", queued.PutAsideAt),
            ("sent", queued.EnqueuedAt),
            ("handed out here", queued.HandedOut),
            ("priority", message.Priority),
            ("content type", message.ContentType),
            ("content encoding", message.ContentEncoding),
            ("correlation id", message.CorrelationId),
            ("subject", message.Subject),
            ("reply to", message.ReplyTo),
            ("time to live", message.TimeToLive),
            ("session", message.SessionId),
        })
        {
            if (value is not null)
                yield return Told(name, value);
        }

        foreach (var (name, value) in message.Properties.OrderBy(property => property.Key, StringComparer.Ordinal))
        {
            foreach (var line in name == DeadLetterProperties.Failures && value is string json && FailureHistory.Lines(json) is { } failures ? failures.Select(Printable.OneLine) : Lines(value))
                yield return $"  {Printable.OneLine(name)} = {line}";
        }

        yield return Told("body", queued.Unreadable ?? $"{message.Body.Length} bytes");
        foreach (var line in Body(message.Body))
            yield return $"  {line}";
    }

    private static IEnumerable<string> Body(ReadOnlyMemory<byte> body)
    {
        if (MessageView.TextOf(body) is { } text)
            return Printable.Cut(text, LongestBody).Split('\n').Select(Printable.OneLine);

        var rows = body[..Math.Min(body.Length, LongestBody)].ToArray().Chunk(BytesInARow).Select(Convert.ToHexStringLower);
        return body.Length <= LongestBody ? rows : rows.Append("... and more");
    }

    // A stack or a history has lines of its own.
    private static IEnumerable<string> Lines(object? value) => value switch
    {
        string text => text.Split('\n').Select(Printable.OneLine),
        IReadOnlyDictionary<string, object?> table => table.Select(entry => $"{Printable.OneLine(entry.Key)}: {string.Join(' ', Lines(entry.Value))}"),
        IEnumerable<object?> list => list.SelectMany(Lines),
        byte[] bytes => Lines(PropertyText.Of(bytes)),
        _ => [Shown(value)],
    };

    private static string? Word(QueuedMessage message) => message.State switch
    {
        QueuedState.Scheduled => message.ScheduledFor is { } time ? $"scheduled for {Time(time)}" : "scheduled",
        QueuedState.Deferred => "deferred",
        _ => null,
    };

    private static string Told(string name, object value) => $"{name,-16} {Shown(value)}";

    private static string Shown(object? value) => value switch
    {
        null => PropertyMatch.Nothing,
        DateTimeOffset time => Time(time),
        _ => Printable.OneLine(PropertyText.Of(value)),
    };

    private static string Time(DateTimeOffset? time) => time is { } at ? at.UtcDateTime.ToString("u", CultureInfo.InvariantCulture) : "-";

    private static string Columns(string since, string id, string reason, string about) => $"{since,-20}  {id,-36}  {reason,-24}  {about}";
}
