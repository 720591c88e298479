using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.CompilerServices;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>The queues there must be: declared where that is asked for, and looked for otherwise. Any thread.</summary>
internal sealed class Topology(RabbitMqBrokerOptions options, ServerAddress address, Questions questions)
{
    private const int MostDigits = 2;

    // Beside a classic queue earlier versions of ours declared classic ones, by the name without it: those hand on what they hold and stay empty.
    private const string SureSuffix = ".sure";

    /// <summary>The longest that a queue may keep a message back: no more than the server's ten years (315360000000 ms), and in two digits.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(310_000_000_000);

    private static readonly TimeSpan s_shortestWait = TimeSpan.FromMilliseconds(1);

    // By the connection that has seen them: one that has ended is held by nobody for that.
    private readonly ConditionalWeakTable<IConnection, ConcurrentDictionary<string, bool>> _waitQueues = [];

    /// <summary>Makes sure of a queue and of the one for its dead letters.</summary>
    /// <exception cref="BrokerException">One is missing, or differs from what was asked for.</exception>
    public async Task EnsureAsync(IConnection connection, string queue, CancellationToken cancel)
    {
        RefuseWhatTheServerLacks(connection);
        QueueName.Refuse(queue, longerThan: QueueName.LongestConsumed);
        if (QueueArguments.IsDeadLetterQueue(queue))
        {
            await EnsureAsync(connection, queue, QueueArguments.OfDeadLetters(options), cancel).ConfigureAwait(false);
            return;
        }

        await EnsureAsync(connection, queue, QueueArguments.OfWork(queue, options), cancel).ConfigureAwait(false);
        await EnsureAsync(connection, QueueArguments.DeadLetterQueueOf(queue), QueueArguments.OfDeadLetters(options), cancel).ConfigureAwait(false);
    }

    /// <summary>
    /// Makes sure of a queue that is only sent to. It may be somebody else's, with arguments and dead letters of its own: one that is there is taken as it is.
    /// </summary>
    /// <exception cref="BrokerException">It is missing, and not to be declared.</exception>
    public async Task EnsureTargetAsync(IConnection connection, string queue, CancellationToken cancel)
    {
        try
        {
            await questions.LookAsync(connection, queue, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (options.Declare && problem.InnerException is OperationInterruptedException { ShutdownReason.ReplyCode: Constants.NotFound })
        {
            await EnsureAsync(connection, queue, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// The queue in which messages wait that long before they come to <paramref name="queue"/>. One for each length of wait, rounded up,
    /// because a queue lets nothing expire past what waits longer. They stay: to remove one that looks unused could take messages with it.
    /// What is to wait for longer than the longest comes after that: to refuse it would have it handled again at once.
    /// Of quorum, whatever the queue is: a classic one does not ask whether what it hands on was taken.
    /// </summary>
    public async ValueTask<string> WaitQueueAsync(IConnection connection, string queue, TimeSpan wait, CancellationToken cancel)
    {
        wait = RoundUp(TimeSpan.FromTicks(Math.Clamp(wait.Ticks, s_shortestWait.Ticks, LongestWait.Ticks)));
        var type = Server.VersionOf(connection) >= Server.FirstWithSureWaits ? QueueType.Quorum : options.QueueType;
        var name = string.Create(CultureInfo.InvariantCulture, $"{queue}.wait.{(long)wait.TotalMilliseconds}{(type == options.QueueType ? "" : SureSuffix)}");
        var known = _waitQueues.GetValue(connection, static _ => new(StringComparer.Ordinal));
        if (known.ContainsKey(name))
            return name;

        await DeclareAsync(connection, name, QueueArguments.OfWait(queue, wait, type), cancel).ConfigureAwait(false);
        known[name] = true;
        return name;
    }

    /// <summary>A queue that we thought was there was not.</summary>
    public void Forget(string queue)
    {
        foreach (var (_, known) in _waitQueues)
            known.TryRemove(queue, out _);
    }

    /// <summary>The next whole number of milliseconds with two digits and noughts after them.</summary>
    internal static TimeSpan RoundUp(TimeSpan wait)
    {
        var milliseconds = Math.Ceiling(wait.TotalMilliseconds);
        var step = Math.Pow(10, Math.Max(0, Math.Floor(Math.Log10(milliseconds)) + 1 - MostDigits));
        return TimeSpan.FromMilliseconds(Math.Ceiling(milliseconds / step) * step);
    }

    private Task<QueueDeclareOk> EnsureAsync(IConnection connection, string queue, Dictionary<string, object?> arguments, CancellationToken cancel) =>
        options.Declare
            ? DeclareAsync(connection, queue, arguments, cancel)
            : questions.LookAsync(connection, queue, cancel);

    private Task<QueueDeclareOk> DeclareAsync(IConnection connection, string queue, Dictionary<string, object?> arguments, CancellationToken cancel) =>
        questions.AskAsync(connection, queue, channel => channel.DeclareAsync(queue, arguments), cancel);

    private void RefuseWhatTheServerLacks(IConnection connection)
    {
        if (options.DelayedRetry == DelayedRetry.Native && Server.VersionOf(connection) is var version && version < Server.FirstWithDelayedRetry)
            throw new BrokerException(Problems.NoDelayedRetry(version, address), isTransient: false);
    }
}
