using System.Text.Json;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What the management API tells of an exchange: how it chooses, and between what.</summary>
internal sealed record ExchangeReport(string? Type, IReadOnlyList<Binding> Bindings)
{
    /// <summary>Where a message of that key goes; null where its type leaves more to say than the key.</summary>
    public Binding[]? To(string key) => Type switch
    {
        "fanout" => [.. Bindings],
        "direct" => [.. Bindings.Where(binding => binding.Key == key)],
        _ => null,
    };

    /// <exception cref="JsonException">It is no such report.</exception>
    public static string? ParseType(JsonElement exchange) => Text(exchange, "type");

    /// <inheritdoc cref="ParseType"/>
    public static Binding[] ParseBindings(JsonElement bindings) => bindings.ValueKind == JsonValueKind.Array
        ? [.. bindings.EnumerateArray().Select(binding => new Binding(Text(binding, "destination") ?? "", Text(binding, "destination_type") == "queue", Text(binding, "routing_key") ?? ""))]
        : throw new JsonException();

    private static string? Text(JsonElement part, string name) => part.ValueKind == JsonValueKind.Object
        ? part.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null
        : throw new JsonException();
}

/// <summary>What an exchange sends to: a queue, or another exchange.</summary>
internal sealed record Binding(string To, bool IsQueue, string Key)
{
    public override string ToString() => IsQueue ? $"'{To}'" : $"the exchange '{To}'";
}
