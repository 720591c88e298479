using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>A message that a sweep holds, with its receipt: a tag that counts in the one window it came by.</summary>
internal sealed class SweptMessage : QueuedMessage
{
    [SetsRequiredMembers]
    public SweptMessage(Window window, ulong tag, IReadOnlyBasicProperties envelope, byte[] body)
    {
        (Window, Tag, Envelope) = (window, tag, envelope);
        var headers = envelope.Headers;

        // A message without a name has one for as long as it is looked at.
        var id = envelope.MessageId is { Length: > 0 } name ? name : string.Create(CultureInfo.InvariantCulture, $"unnamed-{window.Number}-{tag}");
        Message = RabbitMq.Envelope.Read(envelope, id, body);
        EnqueuedAt = RabbitMq.Envelope.SentAt(envelope);
        HandedOut = Headers.Count(headers, HeaderNames.AcquiredCount) ?? Headers.Count(headers, HeaderNames.DeliveryCount);

        var death = ServerDeath();
        Reason = Text(DeadLetterProperties.Reason) ?? death?.GetValueOrDefault("reason") as string;
        Description = Text(DeadLetterProperties.Description) ?? (death is null ? null : $"The server itself gave it up in the queue '{death.GetValueOrDefault("queue")}'.");
        PutAsideAt = (Message.Properties.GetValueOrDefault(HeaderNames.PutAsideAt) ?? death?.GetValueOrDefault("time")) as DateTimeOffset?;
    }

    public Window Window { get; }

    public ulong Tag { get; }

    public IReadOnlyBasicProperties Envelope { get; }

    // The latest stands first.
    private Dictionary<string, object?>? ServerDeath() =>
        Message.Properties.GetValueOrDefault(HeaderNames.Deaths) is List<object?> and [Dictionary<string, object?> latest, ..] ? latest : null;

    private string? Text(string name) => Message.Properties.GetValueOrDefault(name) as string;
}
