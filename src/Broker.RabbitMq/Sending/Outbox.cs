using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Sends messages to queues, each confirmed by the server. On a connection of its own: a server that is short of memory stops reading from
/// those who send, and acknowledgements must not wait for that. Any thread.
/// </summary>
internal sealed class Outbox(Link link, Link asking, Topology topology, ServerAddress address)
{
    private readonly Lock _gate = new();
    private Task<IChannel>? _channel;

    /// <summary>Sends to a queue, and returns once the server has it.</summary>
    /// <exception cref="BrokerException">The server refused it, or whether it has it is unknown.</exception>
    public async ValueTask SendAsync(string queue, BasicProperties envelope, ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        if (link.Blocked is { } why)
            throw new BrokerException($"RabbitMQ at {address.HostList} takes no messages at present ({why}).", isTransient: true);

        try
        {
            var channel = await ChannelAsync(cancel).ConfigureAwait(false);
            await channel.BasicPublishAsync("", queue, mandatory: true, envelope, body, cancel).ConfigureAwait(false);
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
    public async ValueTask SendLaterAsync(string queue, TimeSpan wait, BasicProperties envelope, ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        // To declare it on a connection that the server does not read would wait for as long.
        var connection = await asking.OpenAsync(cancel).ConfigureAwait(false);
        var waitQueue = await topology.WaitQueueAsync(connection, queue, wait, cancel).ConfigureAwait(false);
        await SendAsync(waitQueue, envelope, body, cancel).ConfigureAwait(false);
    }

    private Task<IChannel> ChannelAsync(CancellationToken cancel)
    {
        lock (_gate)
        {
            if (_channel is null || _channel.IsFaulted || _channel is { IsCompletedSuccessfully: true, Result.IsOpen: false })
                _channel = OpenAsync();
            return _channel.WaitAsync(cancel);
        }
    }

    private async Task<IChannel> OpenAsync()
    {
        var connection = await link.OpenAsync(CancellationToken.None).ConfigureAwait(false);
        return await connection.CreateChannelAsync(new CreateChannelOptions(
            publisherConfirmationsEnabled: true,
            publisherConfirmationTrackingEnabled: true,
            outstandingPublisherConfirmationsRateLimiter: null)).ConfigureAwait(false);
    }
}
