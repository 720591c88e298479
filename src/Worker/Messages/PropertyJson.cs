using System.Text.Json;
using System.Text.Json.Serialization;

namespace Holdfast.Worker.Messages;

/// <summary>What messages carry, in JSON. Brokers know numbers that JSON does not; those are told by their names.</summary>
internal static class PropertyJson
{
    public const JsonNumberHandling Numbers = JsonNumberHandling.AllowNamedFloatingPointLiterals;

    private static readonly JsonSerializerOptions s_json = new() { NumberHandling = Numbers };

    public static string Of<T>(T value) => JsonSerializer.Serialize(value, s_json);
}
