namespace Holdfast.Amqp;

/// <summary>What the specification itself lets a sender say about a message.</summary>
public sealed record MessageProperties
{
    /// <summary>By the specification a string, a ulong, a Guid or a byte[]; whatever its sender made it.</summary>
    public object? MessageId { get; init; }

    public byte[]? UserId { get; init; }

    public string? To { get; init; }

    public string? Subject { get; init; }

    public string? ReplyTo { get; init; }

    /// <summary>By the specification a string, a ulong, a Guid or a byte[]; whatever its sender made it.</summary>
    public object? CorrelationId { get; init; }

    public Symbol? ContentType { get; init; }

    public Symbol? ContentEncoding { get; init; }

    public AmqpTimestamp? AbsoluteExpiryTime { get; init; }

    public AmqpTimestamp? CreationTime { get; init; }

    public string? GroupId { get; init; }

    public uint? GroupSequence { get; init; }

    public string? ReplyToGroupId { get; init; }

    /// <summary>What of them can't be read; null where all can.</summary>
    public UnreadParts? Unread { get; init; }

    internal void Encode(AmqpWriter writer)
    {
        if (Unread?.TryWriteWhole(writer) == true)
            return;

        var fields = writer.BeginFields(Descriptor.Properties, Unread);
        fields.Any(MessageId);
        fields.Binary(UserId);
        fields.String(To);
        fields.String(Subject);
        fields.String(ReplyTo);
        fields.Any(CorrelationId);
        fields.Symbol(ContentType);
        fields.Symbol(ContentEncoding);
        fields.Timestamp(AbsoluteExpiryTime);
        fields.Timestamp(CreationTime);
        fields.String(GroupId);
        fields.UInt(GroupSequence);
        fields.String(ReplyToGroupId);
        fields.End();
    }

    internal static MessageProperties Decode(ref AmqpReader reader, UnreadParts? unread)
    {
        var fields = reader.ReadFields("properties", unread);
        var properties = new MessageProperties
        {
            MessageId = fields.Any(),
            UserId = fields.Binary(),
            To = fields.String(),
            Subject = fields.String(),
            ReplyTo = fields.String(),
            CorrelationId = fields.Any(),
            ContentType = fields.Symbol(),
            ContentEncoding = fields.Symbol(),
            AbsoluteExpiryTime = fields.Timestamp(),
            CreationTime = fields.Timestamp(),
            GroupId = fields.String(),
            GroupSequence = fields.UInt(),
            ReplyToGroupId = fields.String(),
            Unread = unread,
        };
        fields.End();
        return properties;
    }
}
