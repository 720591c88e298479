using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>A channel by which nothing is sent unless the server says that it has it.</summary>
internal static class Confirming
{
    private static readonly CreateChannelOptions s_options = new(
        publisherConfirmationsEnabled: true,
        publisherConfirmationTrackingEnabled: true,
        outstandingPublisherConfirmationsRateLimiter: null);

    public static Task<IChannel> OpenConfirmingAsync(this IConnection connection) => connection.CreateChannelAsync(s_options);
}
