using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Looks at what a worker will need of a server. It takes no message.</summary>
internal sealed class Inspection(RabbitMqBrokerOptions options, ServerAddress address, Link link, Questions questions, ManagementApi? management, string queue, int maxDeliveries)
{
    // A consumer that can't be: the server looks first whether we may read, and then at this.
    private static readonly Dictionary<string, object?> s_impossible = new() { ["x-priority"] = "none" };

    // A queue that can't be: an argument of streams alone. The server looks first whether we may declare it with where it leads to, then at what
    // the other arguments say, and at this one last of all.
    private const string Impossible = "x-max-age";

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(1);

    private readonly HashSet<string> _absent = [];

    public async IAsyncEnumerable<Finding> RunAsync([EnumeratorCancellation] CancellationToken cancel)
    {
        var (connection, problem) = await EnterAsync(cancel).ConfigureAwait(false);
        if (connection is null)
        {
            yield return Finding.Error(problem!.Message);
            yield break;
        }

        yield return Version(connection);
        foreach (var name in (string[])[queue, QueueArguments.DeadLetterQueueOf(queue)])
        {
            yield return await PresenceAsync(connection, name, cancel).ConfigureAwait(false);
            yield return await ReadingAsync(connection, name, cancel).ConfigureAwait(false);
        }

        yield return await WritingAsync(connection, cancel).ConfigureAwait(false);

        // A server that is short of memory or disk answers nothing more on a connection that has sent something.
        if (link.Blocked is null)
        {
            yield return await WaitQueuesAsync(connection, cancel).ConfigureAwait(false);
            yield return await ReplayQueuesAsync(connection, cancel).ConfigureAwait(false);
        }

        await foreach (var finding in ManagedAsync(connection, cancel).ConfigureAwait(false))
            yield return finding;
    }

    // The client takes a connection for open before the server has said whether it lets us into the virtual host: that shows once something is asked by it.
    private async Task<(IConnection? Connection, BrokerException? Problem)> EnterAsync(CancellationToken cancel)
    {
        try
        {
            var connection = await link.OpenAsync(cancel).ConfigureAwait(false);
            await connection.CreateChannelAsync(cancellationToken: CancellationToken.None).WithinAsync(Questions.Patience, options.TimeProvider, cancel).ConfigureAwait(false);
            return (connection, null);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            return (null, Problems.Of(e, address));
        }
    }

    private Finding Version(IConnection connection)
    {
        var version = Server.VersionOf(connection);
        return options.DelayedRetry == DelayedRetry.Native && version < Server.FirstWithDelayedRetry
            ? Finding.Error(Problems.NoDelayedRetry(version, address))
            : Finding.Ok($"RabbitMQ {version} at {address.HostList} lets user '{address.User}' into virtual host '{address.VirtualHost}'.");
    }

    private async Task<Finding> PresenceAsync(IConnection connection, string name, CancellationToken cancel)
    {
        QueueDeclareOk? there = null;
        var problem = await AskAsync(connection, name, async channel => there = await channel.QueueDeclarePassiveAsync(name).ConfigureAwait(false), cancel).ConfigureAwait(false);
        if (there is not null)
            return await ArgumentsAsync(connection, name, there, cancel).ConfigureAwait(false);
        if (IsMissing(problem!))
            _absent.Add(name);
        return IsMissing(problem!) && options.Declare
            ? await AbsenceAsync(connection, name, cancel).ConfigureAwait(false)
            : Finding.Error(problem!.Message);
    }

    private async Task<Finding> AbsenceAsync(IConnection connection, string name, CancellationToken cancel)
    {
        var impossible = new Dictionary<string, object?>(ArgumentsOf(name)) { [Impossible] = "none" };
        var problem = await AskAsync(connection, name, channel => channel.DeclareAsync(name, impossible), cancel).ConfigureAwait(false);
        if (problem is not null && !(CodeOf(problem) == Constants.PreconditionFailed && problem.Message.Contains($"'{Impossible}'", StringComparison.Ordinal)))
            return Finding.Error($"The queue '{name}' is not there, and the worker can't declare it: {problem.Message}");

        return Finding.Ok($"The queue '{name}' is not there yet: the worker will declare it.");
    }

    // Only where the worker would declare it do other arguments stand in its way.
    private async Task<Finding> ArgumentsAsync(IConnection connection, string name, QueueDeclareOk there, CancellationToken cancel)
    {
        var problem = options.Declare
            ? await AskAsync(connection, name, channel => channel.DeclareAsync(name, ArgumentsOf(name)), cancel).ConfigureAwait(false)
            : null;
        return problem is null
            ? Finding.Ok($"The queue '{name}' is there, with {there.MessageCount} messages and {there.ConsumerCount} consumers.")
            : Finding.Error(problem.Message);
    }

    private Dictionary<string, object?> ArgumentsOf(string name) =>
        QueueArguments.IsDeadLetterQueue(name) ? QueueArguments.OfDeadLetters(options) : QueueArguments.OfWork(name, options);

    private async Task<Finding> ReadingAsync(IConnection connection, string name, CancellationToken cancel)
    {
        var problem = await AskAsync(connection, name, channel => channel.BasicConsumeAsync(name, autoAck: false, "", noLocal: false, exclusive: false, s_impossible, new AsyncDefaultBasicConsumer(channel)), cancel).ConfigureAwait(false);
        return problem is null || CodeOf(problem) == Constants.PreconditionFailed
            ? Finding.Ok($"User '{address.User}' may receive from '{name}'.")
            : name != queue && CodeOf(problem) == Constants.AccessRefused
                ? Finding.Warning($"User '{address.User}' may not receive from '{name}': the worker needs that not, but dead show, list and replay do.")
            : IsMissing(problem) ? Finding.Ok($"Whether user '{address.User}' may receive from '{name}' will show once it is there.")
            : Finding.Error(problem.Message);
    }

    private async Task<Finding> WritingAsync(IConnection connection, CancellationToken cancel)
    {
        var problem = await AskAsync(connection, queue, channel => channel.ShowAsync(ReadOnlyMemory<byte>.Empty), cancel).ConfigureAwait(false);
        return problem is null
            ? Finding.Ok($"User '{address.User}' may send: delays and dead letters can be sent on.")
            : Finding.Error($"What is delayed or put aside can't be sent on: {link.Obstacle ?? problem.Message}");
    }

    private async Task<Finding> WaitQueuesAsync(IConnection connection, CancellationToken cancel)
    {
        var problem = await DeclaringAsync(connection, $"{queue}.wait.check", cancel).ConfigureAwait(false);
        return problem is null
            ? Finding.Ok($"User '{address.User}' may declare wait queues, such as '{queue}.wait.5000'.")
            : options.DelayedRetry == DelayedRetry.Native
            ? Finding.Warning($"What a handler or a sender wants later can't be delayed, for wait queues can't be declared: {problem.Message}")
            : Finding.Error($"Retries can't be delayed, for wait queues can't be declared: {problem.Message}");
    }

    private async Task<Finding> ReplayQueuesAsync(IConnection connection, CancellationToken cancel) =>
        await DeclaringAsync(connection, $"{queue}.replay.check", cancel).ConfigureAwait(false) is { } problem
            ? Finding.Warning($"Dead letters can't be sent again (dead replay), for the queues by which they go can't be declared: {problem.Message}")
            : Finding.Ok($"User '{address.User}' may declare the queues by which dead letters are sent again, such as '{queue}.replay.track.1'.");

    // With where it leads to: who may not read what it holds, or write there, may not declare it so.
    private Task<BrokerException?> DeclaringAsync(IConnection connection, string name, CancellationToken cancel) => AskAsync(
        connection,
        name,
        async channel =>
        {
            await channel.QueueDeclareAsync(name, durable: false, exclusive: true, autoDelete: true, QueueArguments.OfWait(queue, s_wait, QueueType.Classic)).ConfigureAwait(false);
            await channel.QueueDeleteAsync(name).ConfigureAwait(false);
        },
        cancel);

    private async IAsyncEnumerable<Finding> ManagedAsync(IConnection connection, [EnumeratorCancellation] CancellationToken cancel)
    {
        if (management is null)
        {
            yield return Finding.Warning("Whether the server's clock agrees with ours is not known, for AMQP does not tell its time: times in messages look wrong where it does not; set Worker__RabbitMq__ManagementUri to have it looked at. Leases do not depend on it.");
            yield return Finding.Warning("The queue's delivery limit, length limit and consumer timeout are not known; set Worker__RabbitMq__ManagementUri to have them looked at.");
            yield break;
        }

        foreach (var name in (string[])[queue, QueueArguments.DeadLetterQueueOf(queue)])
        {
            var (report, problem) = await ReportAsync(management, name, cancel).ConfigureAwait(false);
            if (report is null && _absent.Contains(name) && ManagementApi.IsMissing(problem!))
                continue;
            if (report is null)
            {
                yield return Finding.Error(problem!.Message);
                yield break;
            }

            var terms = new QueueTerms(report, Server.VersionOf(connection), options, maxDeliveries);
            foreach (var finding in QueueArguments.IsDeadLetterQueue(name) ? terms.OfDeadLetters(name) : terms.Findings(options.TimeProvider.GetUtcNow()))
                yield return finding;
            if (QueueArguments.IsDeadLetterQueue(name))
                continue;
            foreach (var finding in await new DeadLetterRoute(management, address.VirtualHost, queue, options.Declare).FindingsAsync(report, cancel).ConfigureAwait(false))
                yield return finding;
        }

        foreach (var finding in await WaysOnAsync(management, cancel).ConfigureAwait(false))
            yield return finding;
    }

    // The queues of ours that are to keep a message until the next one has it.
    private async Task<Finding[]> WaysOnAsync(ManagementApi management, CancellationToken cancel)
    {
        try
        {
            var reports = await management.ReportsAsync(address.VirtualHost, $@"^{Regex.Escape(queue)}\.(wait|replay)\b", cancel).ConfigureAwait(false);
            return [.. reports.SelectMany(way => WayTerms.Findings(way, queue, options.QueueType))];
        }
        catch (BrokerException problem)
        {
            return [Finding.Error(problem.Message)];
        }
    }

    private async Task<(QueueReport? Report, BrokerException? Problem)> ReportAsync(ManagementApi management, string name, CancellationToken cancel)
    {
        try
        {
            return (await management.ReportAsync(address.VirtualHost, name, cancel).ConfigureAwait(false), null);
        }
        catch (BrokerException problem)
        {
            return (null, problem);
        }
    }

    private async Task<BrokerException?> AskAsync(IConnection connection, string name, Func<IChannel, Task> ask, CancellationToken cancel, [CallerMemberName] string what = "")
    {
        try
        {
            return await questions.AskAsync<BrokerException?>(connection, name, YesAsync, cancel, what).ConfigureAwait(false);
        }
        catch (BrokerException problem)
        {
            return problem;
        }

        async Task<BrokerException?> YesAsync(IChannel channel)
        {
            await ask(channel).ConfigureAwait(false);
            return null;
        }
    }

    private static bool IsMissing(BrokerException problem) => CodeOf(problem) == Constants.NotFound;

    private static ushort? CodeOf(BrokerException problem) => (problem.InnerException as OperationInterruptedException)?.ShutdownReason?.ReplyCode;
}
