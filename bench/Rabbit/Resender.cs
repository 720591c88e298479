using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Bench;

/// <summary>What a script on RabbitMQ.Client does: it publishes each message to the other queue, waits until that is confirmed, and acknowledges the original; many at once.</summary>
internal static class Resender
{
    private const ushort AtOnce = 256;

    public static async Task RunAsync(string queue, int messages)
    {
        var factory = RabbitTarget.Factory;
        factory.ConsumerDispatchConcurrency = AtOnce;
        await using var connection = await factory.CreateConnectionAsync();
        await using var publishing = await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true, outstandingPublisherConfirmationsRateLimiter: null));
        await using var receiving = await connection.CreateChannelAsync();
        var (left, done) = (messages, new TaskCompletionSource());
        var consumer = new AsyncEventingBasicConsumer(receiving);
        consumer.ReceivedAsync += async (_, delivery) =>
        {
            await publishing.BasicPublishAsync("", Postman.DeadLettersOf(queue), mandatory: true, new BasicProperties(delivery.BasicProperties), delivery.Body);
            await receiving.BasicAckAsync(delivery.DeliveryTag, multiple: false);
            if (Interlocked.Decrement(ref left) == 0)
                done.SetResult();
        };
        await receiving.BasicQosAsync(0, AtOnce, global: false);
        await receiving.BasicConsumeAsync(queue, autoAck: false, consumer);
        await done.Task;

        // A classic queue knows all that was acknowledged once this is answered. A quorum queue may have some of the last again: what it has not written is dropped with its channel.
        await receiving.CloseAsync();
    }
}
