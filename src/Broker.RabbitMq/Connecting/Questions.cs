using System.Runtime.CompilerServices;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// What is asked of the server about its queues. Each question has a channel of its own: a "no" ends the channel, and one that asks for a queue that hangs,
/// hangs as well. A question can't be taken back, so one that is not answered in time stays on its way, and whoever asks the same meanwhile waits for its answer:
/// a queue that hangs costs one channel, however often it is asked for. Any thread.
/// </summary>
internal sealed class Questions(ServerAddress address, TimeProvider time)
{
    /// <summary>How long an answer is waited for.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<(IConnection, string, string), Task> _asked = [];

    /// <summary>Asks for a queue, and how much is in it.</summary>
    /// <exception cref="BrokerException">It is missing, or does not answer.</exception>
    public Task<QueueDeclareOk> LookAsync(IConnection connection, string queue, CancellationToken cancel) =>
        AskAsync(connection, queue, channel => channel.QueueDeclarePassiveAsync(queue), cancel);

    /// <param name="connection">Where the queue is.</param>
    /// <param name="queue">The queue.</param>
    /// <param name="ask">The question. Nobody calls it off.</param>
    /// <param name="cancel">Ends the waiting for an answer.</param>
    /// <param name="what">What is asked about the queue; the same words stand for the same question.</param>
    /// <exception cref="BrokerException">The answer is no, or there was none in time.</exception>
    public async Task<T> AskAsync<T>(IConnection connection, string queue, Func<IChannel, Task<T>> ask, CancellationToken cancel, [CallerMemberName] string what = "")
    {
        QueueName.Refuse(queue, longerThan: Server.LongestShortText);
        var asked = Asked(connection, queue, ask, what);
        try
        {
            return await asked.WithinAsync(Patience, time, cancel).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            throw Problems.Of(e, address, queue);
        }
    }

    private Task<T> Asked<T>(IConnection connection, string queue, Func<IChannel, Task<T>> ask, string what)
    {
        var key = (connection, queue, what);
        lock (_gate)
        {
            if (_asked.TryGetValue(key, out var same))
                return (Task<T>)same;

            var asked = OnChannelAsync(connection, ask);
            _asked.Add(key, asked);
            _ = ForgetAsync(key, asked);
            return asked;
        }
    }

    private async Task ForgetAsync((IConnection, string, string) key, Task asked)
    {
        await asked.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_gate)
            _asked.Remove(key);
    }

    private static async Task<T> OnChannelAsync<T>(IConnection connection, Func<IChannel, Task<T>> ask)
    {
        var channel = await connection.CreateChannelAsync().ConfigureAwait(false);
        try
        {
            return await ask(channel).ConfigureAwait(false);
        }
        finally
        {
            _ = channel.LetGoAsync();
        }
    }
}
