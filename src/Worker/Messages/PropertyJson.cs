using System.Text.Json;
using System.Text.Json.Serialization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Messages;

/// <summary>What messages carry, in JSON. Brokers know numbers that JSON does not; those are told by their names.</summary>
internal static class PropertyJson
{
    public const JsonNumberHandling Numbers = JsonNumberHandling.AllowNamedFloatingPointLiterals;

    private static readonly JsonSerializerOptions s_json = new() { NumberHandling = Numbers };

    /// <exception cref="UnreadableMessageException">It holds tables or lists too deep within one another, and no new try changes that.</exception>
    public static string Of<T>(T value)
    {
        try
        {
            return JsonSerializer.Serialize(value, s_json);
        }
        catch (JsonException tooDeep)
        {
            throw new UnreadableMessageException("Its properties hold tables or lists more than 64 deep within one another, which can't be told in JSON.", tooDeep);
        }
    }
}
