using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>What a request was answered with.</summary>
internal sealed record Answer(int Status, string? Condition, string? Description, object? Body)
{
    public const int NoContent = 204;

    private const int FirstSuccess = 200;
    private const int FirstBeyondSuccess = 300;

    // The two kinds of nodes do not agree on the names.
    private static readonly string[] s_status = ["statusCode", "status-code"];
    private static readonly string[] s_description = ["statusDescription", "status-description"];
    private static readonly string[] s_condition = ["errorCondition", "error-condition"];

    public bool IsSuccess => Status is >= FirstSuccess and < FirstBeyondSuccess;

    public Refusal Refusal => Refusal.Of(Status, Condition, Description);

    /// <summary>Null where it is no answer to a request.</summary>
    public static Answer? Of(AmqpMessage message)
    {
        var properties = message.ApplicationProperties;
        int? status = Find(properties, s_status) switch
        {
            int number => number,
            uint number => (int)number,
            long number => (int)number,
            _ => null,
        };
        return status is { } code
            ? new Answer(code, $"{Find(properties, s_condition)}" is { Length: > 0 } condition ? condition : null, Find(properties, s_description) as string, (message.Body as ValueBody)?.Value)
            : null;
    }

    /// <summary>A field of the body; null where it is not there, or the body is no map.</summary>
    public object? Field(string name) => Body is AmqpMap map && map.TryGetValue(name, out var value) ? value : null;

    private static object? Find(ApplicationProperties? properties, string[] names)
    {
        foreach (var name in names)
        {
            if (properties is not null && properties.TryGetValue(name, out var value))
                return value;
        }

        return null;
    }
}
