using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
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

        Message = RabbitMq.Envelope.Read(envelope, envelope.MessageId is { Length: > 0 } id ? ShortText.Fit(id) : NameFor(envelope, body), body);
        EnqueuedAt = RabbitMq.Envelope.SentAt(envelope);
        HandedOut = Headers.Count(headers, HeaderNames.AcquiredCount) ?? Headers.Count(headers, HeaderNames.DeliveryCount);

        // On the way from a delay, or from a replay, it has died for us, and lives.
        var death = ServerDeath();
        Reason = Text(DeadLetterProperties.Reason) ?? death?.GetValueOrDefault("reason") as string;
        Description = Text(DeadLetterProperties.Description) ?? (death is null ? null : $"The server itself gave it up in the queue '{death.GetValueOrDefault("queue")}'.");
        PutAsideAt = (Message.Properties.GetValueOrDefault(DeadLetterProperties.PutAsideAt) ?? death?.GetValueOrDefault("time")) as DateTimeOffset?;
    }

    public Window Window { get; }

    public ulong Tag { get; }

    public IReadOnlyBasicProperties Envelope { get; }

    // A message without an id is told by what it says, wherever it stands in the queue when it is looked at next. Those that say the same share a name.
    private static string NameFor(IReadOnlyBasicProperties envelope, byte[] body)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{envelope.Timestamp.UnixTime}\n{envelope.CorrelationId}\n{envelope.Type}\n{envelope.ReplyTo}\n")));
        hash.AppendData(body);
        return $"unnamed-{Convert.ToHexStringLower(hash.GetHashAndReset().AsSpan(0, 8))}";
    }

    // The latest stands first.
    private Dictionary<string, object?>? ServerDeath() =>
        Message.Properties.GetValueOrDefault(HeaderNames.Deaths) is List<object?> and [Dictionary<string, object?> latest, ..] && !WayTerms.IsWay(latest.GetValueOrDefault("queue") as string) ? latest : null;

    private string? Text(string name) => Message.Properties.GetValueOrDefault(name) as string;
}
