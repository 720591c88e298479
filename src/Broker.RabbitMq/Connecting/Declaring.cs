using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>How our queues are declared, beside their arguments: they outlive the server's end, ours, and whoever else consumes them.</summary>
internal static class Declaring
{
    public static Task<QueueDeclareOk> DeclareAsync(this IChannel channel, string queue, Dictionary<string, object?> arguments) =>
        channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, arguments);
}
