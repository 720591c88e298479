using System.Text;
using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>A message as JSON shows it. The names are a contract: docs/commands.md.</summary>
internal sealed record MessageView
{
    private const int LongestBody = 64 * 1024;

    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public required string Id { get; init; }

    /// <summary>Left out where whoever receives is handed it.</summary>
    public QueuedState? State { get; init; }

    public DateTimeOffset? ScheduledFor { get; init; }

    public string? Reason { get; init; }

    public string? Description { get; init; }

    public DateTimeOffset? PutAsideAt { get; init; }

    public DateTimeOffset? EnqueuedAt { get; init; }

    public int? HandedOut { get; init; }

    public byte Priority { get; init; }

    public string? ContentType { get; init; }

    public string? ContentEncoding { get; init; }

    public string? CorrelationId { get; init; }

    public string? Subject { get; init; }

    public string? ReplyTo { get; init; }

    public TimeSpan? TimeToLive { get; init; }

    public string? SessionId { get; init; }

    public required IReadOnlyDictionary<string, object?> Properties { get; init; }

    /// <summary>Why the body can't be read, where it can't.</summary>
    public string? Unreadable { get; init; }

    /// <summary>How long the body is, in bytes.</summary>
    public required int Size { get; init; }

    /// <summary>The body, where it is asked for and is text.</summary>
    public string? Body { get; init; }

    /// <summary>The body, where it is asked for and is no text.</summary>
    public byte[]? BodyBase64 { get; init; }

    /// <summary>Whether there is more of the body than is shown.</summary>
    public bool? BodyIsCut { get; init; }

    public static MessageView Of(QueuedMessage queued, bool withBody)
    {
        var (message, body) = (queued.Message, queued.Message.Body);
        var isCut = body.Length > LongestBody;
        var text = withBody && !isCut ? TextOf(body) : null;
        return new()
        {
            Id = message.Id,
            State = queued.State == QueuedState.Active ? null : queued.State,
            ScheduledFor = queued.ScheduledFor,
            Reason = queued.Reason,
            Description = queued.Description,
            PutAsideAt = queued.PutAsideAt,
            EnqueuedAt = queued.EnqueuedAt,
            HandedOut = queued.HandedOut,
            Priority = message.Priority,
            ContentType = message.ContentType,
            ContentEncoding = message.ContentEncoding,
            CorrelationId = message.CorrelationId,
            Subject = message.Subject,
            ReplyTo = message.ReplyTo,
            TimeToLive = message.TimeToLive,
            SessionId = message.SessionId,
            Properties = message.Properties,
            Unreadable = queued.Unreadable,
            Size = body.Length,
            Body = text,
            BodyBase64 = withBody && text is null ? body[..Math.Min(body.Length, LongestBody)].ToArray() : null,
            BodyIsCut = withBody && isCut ? true : null,
        };
    }

    /// <summary>Null where it is no text.</summary>
    public static string? TextOf(ReadOnlyMemory<byte> body)
    {
        try
        {
            return s_strict.GetString(body.Span);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }
}
