using System.Text.Json;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What the management API tells of a queue: what it was declared with, and what policies add.</summary>
internal sealed record QueueReport(string? Name, string? Type, bool IsDurable, bool IsAutoDelete, JsonElement Arguments, JsonElement Policy, DateTimeOffset? ServerTime)
{
    /// <exception cref="JsonException">It is no such report.</exception>
    public static QueueReport Parse(JsonElement queue, DateTimeOffset? serverTime)
    {
        if (queue.ValueKind != JsonValueKind.Object)
            throw new JsonException();
        return new(Text(queue, "name"), Text(queue, "type"), Find(queue, "durable") is not { ValueKind: JsonValueKind.False }, Find(queue, "auto_delete") is { ValueKind: JsonValueKind.True }, Part("arguments"), Part("effective_policy_definition"), serverTime);

        JsonElement Part(string name) => Find(queue, name) ?? default;
    }

    /// <summary>Whether it tells of policies, be it that there are none: for some seconds after a start or a move of its leader a queue does not, and on some servers never.</summary>
    public bool TellsPolicy => Policy.ValueKind is JsonValueKind.Object or JsonValueKind.Array;

    /// <summary>A limit that an argument or a policy may set; where both do, the smaller one is never wrong.</summary>
    public long? Number(string argument, string policy) => (Number(Arguments, argument), Number(Policy, policy)) switch
    {
        ({ } one, { } other) => Math.Min(one, other),
        var (one, other) => one ?? other,
    };

    /// <summary>How often a quorum queue hands a message out; a negative number for as often as need be. The server takes the smaller limit too, but no word that there is none before a number.</summary>
    public long? DeliveryLimit => (Number(Arguments, "x-delivery-limit"), Number(Policy, "delivery-limit")) switch
    {
        ({ } one, { } other) when one < 0 || other < 0 => Math.Max(one, other),
        _ => Number("x-delivery-limit", "delivery-limit"),
    };

    /// <summary>Whether it is a log that is read, from which nothing is taken.</summary>
    public bool IsStream => Type == "stream";

    /// <summary>After how long without a consumer the server deletes it; null where it does not.</summary>
    public TimeSpan? Expiry => Time("x-expires", "expires");

    /// <summary>How long a message stays in it; null where that is as long as need be.</summary>
    public TimeSpan? MessageLife => Time("x-message-ttl", "message-ttl");

    /// <summary>How long a message is to stay in it as it was declared, whatever policies say.</summary>
    public TimeSpan? Wait => Time("x-message-ttl", policy: "");

    /// <summary>How long it lets a delivery stay unacknowledged; null where neither its arguments nor its policy say.</summary>
    public TimeSpan? ConsumerTimeout =>
        Number("x-consumer-timeout", "consumer-timeout") is > 0 and <= int.MaxValue and var milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null;

    /// <summary>Whether it serves one of its consumers alone. An argument's only.</summary>
    public bool IsForOneConsumer => Find(Arguments, "x-single-active-consumer") is { ValueKind: JsonValueKind.True };

    /// <summary>What becomes of what it has no room for; null where nothing says. For a quorum queue the policy goes before the argument.</summary>
    public string? Overflow => Type == "quorum" ? Text(Policy, "overflow") ?? Text(Arguments, "x-overflow") : Text("x-overflow", "overflow");

    /// <summary>By which exchange what it gives up goes on; null where that is lost.</summary>
    public string? DeadLetterExchange => Text("x-dead-letter-exchange", "dead-letter-exchange");

    /// <summary>The key by which it does; null where each message keeps its own.</summary>
    public string? DeadLetterKey => Text("x-dead-letter-routing-key", "dead-letter-routing-key");

    // The argument goes before.
    private string? Text(string argument, string policy) => Text(Arguments, argument) ?? Text(Policy, policy);

    private TimeSpan? Time(string argument, string policy) =>
        Number(argument, policy) is >= 0 and var milliseconds && milliseconds <= Server.LongestLife.TotalMilliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null;

    private static long? Number(JsonElement part, string name) =>
        Find(part, name) is { ValueKind: JsonValueKind.Number } value && value.TryGetInt64(out var number) ? number : null;

    private static string? Text(JsonElement part, string name) =>
        Find(part, name) is { ValueKind: JsonValueKind.String } value ? value.GetString() : null;

    // Without any, some versions of the server send an empty array.
    private static JsonElement? Find(JsonElement part, string name) =>
        part.ValueKind == JsonValueKind.Object && part.TryGetProperty(name, out var value) ? value : null;
}
