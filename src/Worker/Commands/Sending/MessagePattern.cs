using System.Globalization;
using Holdfast.Broker;

namespace Holdfast.Worker.Commands;

/// <summary>What the messages of one call have in common.</summary>
internal sealed class MessagePattern
{
    /// <summary>The one message's id, or what those of several begin with; a number follows, from 1.</summary>
    public required string Id { get; init; }

    public required bool IsOne { get; init; }

    public string? ContentType { get; init; }

    public string? ContentEncoding { get; init; }

    public string? CorrelationId { get; init; }

    public byte Priority { get; init; }

    public string? SessionId { get; init; }

    public string? Subject { get; init; }

    public string? ReplyTo { get; init; }

    public TimeSpan? TimeToLive { get; init; }

    public required IReadOnlyDictionary<string, object?> Properties { get; init; }

    public IAsyncEnumerable<Message> Fill(IAsyncEnumerable<ReadOnlyMemory<byte>> bodies) => bodies.Select((body, index) => new Message
    {
        Id = IsOne ? Id : string.Create(CultureInfo.InvariantCulture, $"{Id}-{index + 1}"),
        Body = body,
        ContentType = ContentType,
        ContentEncoding = ContentEncoding,
        CorrelationId = CorrelationId,
        Priority = Priority,
        SessionId = SessionId,
        Subject = Subject,
        ReplyTo = ReplyTo,
        TimeToLive = TimeToLive,
        Properties = Properties,
    });
}
