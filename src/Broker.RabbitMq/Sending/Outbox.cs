using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Sends messages to queues, each confirmed by the server. On a connection of its own: a server that is short of memory stops reading from
/// those who send, and acknowledgements must not wait for that. Any thread.
/// </summary>
internal sealed class Outbox(Link link, Link asking, Topology topology, ServerAddress address, RabbitMqBrokerOptions options)
{
    private const int HeartbeatsToConfirm = 3;
    private static readonly TimeSpan s_leastPatience = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private Task<IChannel>? _channel;

    /// <summary>How long a sender waits for the server to confirm: a queue that hangs never does, and a connection that is dead has been found out by then.</summary>
    public TimeSpan Patience { get; } = new(Math.Max(s_leastPatience.Ticks, (options.Heartbeat * HeartbeatsToConfirm).Ticks));

    /// <summary>Sends to a queue, and returns once the server has it.</summary>
    /// <exception cref="BrokerException">The server refused it, or whether it has it is unknown.</exception>
    public async ValueTask SendAsync(string queue, BasicProperties envelope, ReadOnlyMemory<byte> body, TimeSpan patience, CancellationToken cancel)
    {
        if (link.Blocked is { } why)
            throw new BrokerException($"RabbitMQ at {address.HostList} takes no messages at present ({why}).", isTransient: true);

        try
        {
            var channel = await ChannelAsync().WithinAsync(patience, options.TimeProvider, cancel).ConfigureAwait(false);
            cancel.ThrowIfCancellationRequested();

            // Only the waiting is called off: where a publish is, while another one waits behind it, the client (7.1) may lose count,
            // and take the server's word about one message for that about another.
            var publishing = channel.BasicPublishAsync("", queue, mandatory: true, envelope, body, CancellationToken.None).AsTask();
            await UntilConfirmedAsync(publishing, queue, patience, cancel).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not (BrokerException or OperationCanceledException) || !cancel.IsCancellationRequested)
        {
            if (e is PublishException)
                topology.Forget(queue);
            throw e as BrokerException ?? Problems.Of(e, address, queue);
        }
    }

    /// <summary>Sends to where it waits before it comes to the queue.</summary>
    /// <exception cref="BrokerException">The server refused it, or whether it has it is unknown.</exception>
    public async ValueTask SendLaterAsync(string queue, TimeSpan wait, BasicProperties envelope, ReadOnlyMemory<byte> body, TimeSpan patience, CancellationToken cancel)
    {
        // To declare it on a connection that the server does not read would wait for as long.
        var connection = await asking.OpenAsync(cancel).ConfigureAwait(false);
        var waitQueue = await topology.WaitQueueAsync(connection, queue, wait, cancel).ConfigureAwait(false);
        await SendAsync(waitQueue, envelope, body, patience, cancel).ConfigureAwait(false);
    }

    private async Task UntilConfirmedAsync(Task publishing, string queue, TimeSpan patience, CancellationToken cancel)
    {
        try
        {
            await publishing.WithinAsync(patience, options.TimeProvider, cancel).ConfigureAwait(false);
        }
        catch (UnansweredException none)
        {
            throw Problems.Unconfirmed(none, address, queue);
        }
    }

    private Task<IChannel> ChannelAsync()
    {
        lock (_gate)
        {
            if (_channel is null || _channel.IsFaulted || _channel is { IsCompletedSuccessfully: true, Result.IsOpen: false })
                _channel = OpenAsync();
            return _channel;
        }
    }

    private async Task<IChannel> OpenAsync()
    {
        var connection = await link.OpenAsync(CancellationToken.None).ConfigureAwait(false);
        return await connection.OpenConfirmingAsync().ConfigureAwait(false);
    }
}
