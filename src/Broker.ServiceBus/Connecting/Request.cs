using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A request that waits for its answer, which it completes with wherever that arrives.</summary>
internal sealed class Request(string operation, long sentAt, long deadline) : TaskCompletionSource<Answer>
{
    public string Operation => operation;

    public long SentAt => sentAt;

    /// <summary>The timestamp from which on it is not waited for any longer.</summary>
    public long Deadline => deadline;

    public static AmqpMessage Message(ApplicationProperties properties, object? body, string id, string replyTo) => new()
    {
        Properties = new() { MessageId = id, ReplyTo = replyTo },
        ApplicationProperties = properties,
        Body = new ValueBody(body),
    };
}
