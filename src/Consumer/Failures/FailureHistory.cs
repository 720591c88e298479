using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>The failed deliveries of a message, as one of its properties: the first and the last ones, bounded in number and size.</summary>
internal static partial class FailureHistory
{
    private const int Most = 10;
    private const int MostBytes = 6 * 1024;

    private static readonly Json s_json = new(new JsonSerializerOptions(JsonSerializerDefaults.Web) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });

    /// <summary>What the message carries; nothing where it carries none, or what is not ours.</summary>
    public static List<FailedDelivery> Of(Message message)
    {
        if (message.Properties.GetValueOrDefault(DeadLetterProperties.Failures) is not string { Length: <= MostBytes } text)
            return [];

        try
        {
            return JsonSerializer.Deserialize(text, s_json.ListFailedDelivery)?.FindAll(failed => failed is not null) ?? [];
        }
        catch (JsonException)
        {
            return [];
        }
    }

    /// <summary>Leaves out from the middle what is too much, and says the rest.</summary>
    public static string Write(List<FailedDelivery> failures)
    {
        if (failures.Count > Most)
            failures.RemoveRange(1, failures.Count - Most);
        var text = Text(failures);
        while (Encoding.UTF8.GetByteCount(text) > MostBytes && failures.Count > 2)
        {
            failures.RemoveAt(1);
            text = Text(failures);
        }

        return text;
    }

    /// <summary>The message as a handler is to see it: this is no property of the sender's, and must not travel on with what a handler sends.</summary>
    public static Message Hide(Message message) => message.Properties.ContainsKey(DeadLetterProperties.Failures)
        ? message.WithProperties(new PropertiesWithout(DeadLetterProperties.Failures, message.Properties))
        : message;

    private static string Text(List<FailedDelivery> failures) => JsonSerializer.Serialize(failures, s_json.ListFailedDelivery);

    [JsonSerializable(typeof(List<FailedDelivery>))]
    private sealed partial class Json : JsonSerializerContext;
}
