using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>The arguments that our consumers are opened with.</summary>
internal static class ConsumerArguments
{
    private const string EndWithQueue = "x-cancel-on-ha-failover";

    // How it names the queue's type where that does not know the argument.
    private const string OfStream = "of queue type rabbit_stream_queue";

    // What a server without mirrored queues does without being asked.
    private static readonly Version s_firstToEndThem = new(4, 0);

    private static readonly Dictionary<string, object?> s_endWithQueue = new() { [EndWithQueue] = true };

    // A consumer that can't be: the answer tells whether the queue would know what to make of a better value.
    private static readonly Dictionary<string, object?> s_impossible = new() { [EndWithQueue] = "none" };

    /// <summary>
    /// A classic queue's process may die (it crashed, its node went) and another takes over. The server is to end the consumer then, and not to open it
    /// again by itself on the same channel: the new process would hear acknowledgements of what the old one had delivered, take them for ones of its own
    /// deliveries, and may then believe for ever that the consumer has all it may have. Other types of queue know neither the fault nor the argument.
    /// </summary>
    /// <param name="questions">What is asked of the server.</param>
    /// <param name="connection">Where the queue is.</param>
    /// <param name="queue">Its name.</param>
    /// <param name="type">Its type; null where it is not known for sure.</param>
    /// <param name="cancel">Ends the asking.</param>
    /// <exception cref="BrokerException">It is a stream.</exception>
    public static async Task<IDictionary<string, object?>?> OfAsync(Questions questions, IConnection connection, string queue, QueueType? type, CancellationToken cancel)
    {
        if (Server.VersionOf(connection) >= s_firstToEndThem)
            return null;
        var takesIt = type is { } known ? known == QueueType.Classic : await questions.AskAsync(connection, queue, channel => TakesItAsync(channel, queue), cancel).ConfigureAwait(false);
        return takesIt ? s_endWithQueue : null;
    }

    /// <summary>Whether they tell of a classic queue; where the server wants none that could, it is taken for one of the type that is set.</summary>
    public static bool TellOfClassic(IConnection connection, IDictionary<string, object?>? arguments, QueueType set) =>
        Server.VersionOf(connection) >= s_firstToEndThem ? set == QueueType.Classic : arguments is not null;

    private static async Task<bool> TakesItAsync(IChannel channel, string queue)
    {
        try
        {
            // Should a server take it after all, it is to send no more than one message before the channel is closed.
            await channel.BasicQosAsync(0, 1, global: false).ConfigureAwait(false);
            await channel.BasicConsumeAsync(queue, autoAck: false, "", noLocal: false, exclusive: false, s_impossible, new AsyncDefaultBasicConsumer(channel)).ConfigureAwait(false);
            return false;
        }
        catch (OperationInterruptedException refused) when (refused.ShutdownReason is { ReplyCode: Constants.PreconditionFailed } reason)
        {
            if (reason.ReplyText.EndsWith(OfStream, StringComparison.Ordinal))
                throw new BrokerException(Problems.IsStream(queue), isTransient: false, refused);
            return reason.ReplyText.Contains("unacceptable_type", StringComparison.Ordinal);
        }
    }
}
