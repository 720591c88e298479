using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Bench;

/// <summary>
/// RabbitMQ.Client by itself: a consumer of its own that reads the body in place, and acknowledges each message once it is handled.
/// Handlers that wait run side by side, as many as may be taken at once; one that does nothing is fastest alone.
/// </summary>
internal static class RawClient
{
    public static async Task StartAsync(Assignment assignment, IWork work)
    {
        var factory = RabbitTarget.Factory;
        factory.RequestedHeartbeat = assignment.Heartbeat;
        factory.ConsumerDispatchConcurrency = assignment.Chore is Chore.Drain or Chore.Time ? (ushort)1 : (ushort)assignment.Prefetch;
        var connection = await factory.CreateConnectionAsync();
        var channel = await connection.CreateChannelAsync();
        await channel.BasicQosAsync(0, (ushort)assignment.Prefetch, global: false);
        await channel.BasicConsumeAsync(assignment.Queue, autoAck: false, new Consumer(channel, work));
    }

    private sealed class Consumer(IChannel channel, IWork work) : AsyncDefaultBasicConsumer(channel)
    {
        public override async Task HandleBasicDeliverAsync(
            string consumerTag,
            ulong deliveryTag,
            bool redelivered,
            string exchange,
            string routingKey,
            IReadOnlyBasicProperties properties,
            ReadOnlyMemory<byte> body,
            CancellationToken cancellationToken = default)
        {
            var (number, sentAt) = Letter.Read(body.Span);
            await work.HandleAsync(number, sentAt);
            try
            {
                await Channel.BasicAckAsync(deliveryTag, multiple: false, CancellationToken.None);
            }
            catch (Exception lost) when (lost is AlreadyClosedException or OperationCanceledException)
            {
                // The connection is gone, and the message will come again.
            }
        }
    }
}
