using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Where what is sent to a queue leaves from: a channel, and a line of those who wait until there is room. What a queue that hangs does not confirm
/// stays on its way, though nobody waits for it any more, and takes up the room of that mailbox and of no other. Any thread.
/// </summary>
internal sealed class Mailbox(Link link, TimeProvider time)
{
    // A server lets a channel have 400, and 200 more whenever it is done with as many; one that has all it may have stops the whole connection.
    private const int MostOnTheirWay = 200;

    private readonly Lock _gate = new();
    private readonly LinkedList<Letter> _line = new();
    private Task<IChannel>? _channel;
    private int _onTheirWay;

    /// <summary>Publishes in the order of the calls, and returns once the server has it.</summary>
    /// <param name="publish">What is begun when there is room. Nobody calls it off.</param>
    /// <param name="patience">How long the channel is waited for, and then the server's word.</param>
    /// <param name="cancel">Ends the waiting; what has not left by then never will.</param>
    /// <exception cref="UnansweredException">The server has not said in time that it has it.</exception>
    public async Task SendAsync(Func<IChannel, Task> publish, TimeSpan patience, CancellationToken cancel)
    {
        var channel = await ChannelAsync().WithinAsync(patience, time, cancel).ConfigureAwait(false);
        cancel.ThrowIfCancellationRequested();

        var place = new LinkedListNode<Letter>(new Letter(() => publish(channel)));
        lock (_gate)
            _line.AddLast(place);
        Send();
        try
        {
            await place.Value.Confirmed.Task.WithinAsync(patience, time, cancel).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                if (place.List is not null)
                    _line.Remove(place);
            }
        }
    }

    private Task<IChannel> ChannelAsync()
    {
        lock (_gate)
        {
            if (_channel is null or { IsCompleted: true } and not { IsCompletedSuccessfully: true, Result.IsOpen: true })
                _channel = OpenAsync();
            return _channel;
        }
    }

    private async Task<IChannel> OpenAsync()
    {
        var connection = await link.OpenAsync(CancellationToken.None).ConfigureAwait(false);
        return await connection.OpenConfirmingAsync().ConfigureAwait(false);
    }

    // They are begun under the lock, for what was sent first is to be there first.
    private void Send()
    {
        lock (_gate)
        {
            while (_onTheirWay < MostOnTheirWay && _line.First is { } first)
            {
                _line.RemoveFirst();
                _onTheirWay++;
                _ = FollowAsync(first.Value.Publish(), first.Value.Confirmed);
            }
        }
    }

    private async Task FollowAsync(Task publishing, TaskCompletionSource confirmed)
    {
        // What fails at once may be a long line's every letter: each begins the next, and not within itself.
        await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        lock (_gate)
            _onTheirWay--;
        Send();
        confirmed.SetFromTask(publishing);
    }

    private sealed record Letter(Func<Task> Publish)
    {
        public TaskCompletionSource Confirmed { get; } = new();
    }
}
