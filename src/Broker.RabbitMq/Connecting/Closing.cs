using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>How a channel is closed for whose end nobody waits.</summary>
internal static class Closing
{
    public static async Task LetGoAsync(this IChannel channel)
    {
        try
        {
            await channel.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // A channel that can't be closed ends with its connection.
        }
    }
}
