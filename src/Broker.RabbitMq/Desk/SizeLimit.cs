using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Finds out which messages are too large for the server (max_message_size), which tells nobody its limit. One that is ends its channel, and a batch with it, each time:
/// so whatever is larger than all before is shown to the server first, by a channel of its own and on its way to nowhere.
/// </summary>
internal sealed class SizeLimit(IConnection connection, TimeProvider time)
{
    private int _taken;

    /// <summary>Why the server does not take a message that says this, where it is for its size.</summary>
    public async ValueTask<string?> RefusalOfAsync(ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        if (body.Length <= _taken)
            return null;

        try
        {
            await ShowAsync(body).WithinAsync(Batches.ToCommit, time, cancel).ConfigureAwait(false);
            _taken = body.Length;
            return null;
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason is { } reason && Replies.IsTooLarge(reason, body.Length))
        {
            return $"The server takes no message as large as this one ({Replies.Text(reason)}). Raise max_message_size in its configuration.";
        }
    }

    private async Task ShowAsync(ReadOnlyMemory<byte> body)
    {
        await using var channel = await connection.CreateChannelAsync().ConfigureAwait(false);
        await channel.ShowAsync(body).ConfigureAwait(false);
    }
}
