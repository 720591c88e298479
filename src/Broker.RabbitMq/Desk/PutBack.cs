using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Puts messages that the server has forgotten back into the queue that they came from. All are sent before any is waited for:
/// what is with the server may get there although a queue that hangs confirms none of them in time.
/// </summary>
internal sealed class PutBack(IConnection connection, string queue)
{
    private int _confirmed;

    /// <summary>How many are there for sure.</summary>
    public int Confirmed => Volatile.Read(ref _confirmed);

    public async Task SendAsync(IEnumerable<SweptMessage> messages)
    {
        await using var channel = await connection.OpenConfirmingAsync().ConfigureAwait(false);
        await Task.WhenAll(messages.Select(message => SendAsync(channel, message))).ConfigureAwait(false);
    }

    private async Task SendAsync(IChannel channel, SweptMessage message)
    {
        // Too large for its frame, it would end the connection, and nobody would have the others either.
        var envelope = Envelope.ToPutBack(message.Envelope);
        HeaderFrame.Fit(envelope, connection.FrameMax, queue);
        await channel.BasicPublishAsync("", queue, mandatory: true, envelope, message.Message.Body).ConfigureAwait(false);
        Interlocked.Increment(ref _confirmed);
    }
}
