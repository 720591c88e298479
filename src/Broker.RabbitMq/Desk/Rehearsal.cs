using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Shows the server a message on its way to nowhere, and takes it back: nothing comes of it but the server's word, if it would not take such a one.</summary>
internal static class Rehearsal
{
    public static async Task ShowAsync(this IChannel channel, ReadOnlyMemory<byte> body)
    {
        await channel.TxSelectAsync().ConfigureAwait(false);
        await channel.BasicPublishAsync("", $"holdfast-check-{Guid.NewGuid():N}", mandatory: false, body).ConfigureAwait(false);
        await channel.TxRollbackAsync().ConfigureAwait(false);
    }
}
