using System.Net.Sockets;
using System.Security.Authentication;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Says in one line what the client's exception means to the person on call: what failed, where, and which setting cures it.</summary>
internal static class Problems
{
    // It is not the worker's setting that helps: a sweep holds what it passes over to its end.
    private const string TakeLess = "What is passed over is held to the end: ask for less in one call, by a smaller --limit, a narrower filter or a higher --rate.";

    /// <summary>The server has ended a consumer by itself.</summary>
    public static BrokerException ConsumerEnded(string queue) =>
        new($"RabbitMQ ended the consumer of {queue}: the queue was deleted, moves, or crashed; or a delivery was held longer than the server allows: then set Worker__RabbitMq__ConsumerTimeout to no more than that.", isTransient: true);

    /// <summary>What was to be handled in order has waited for room until the server was about to take it back.</summary>
    public static BrokerException GivenBackUnordered(string queue, int messages, TimeSpan kept) =>
        new(
            $"{messages} messages of {queue} had come and found no room for {kept.TotalMinutes:0.#} minutes, half of the time that RabbitMQ lets anybody hold a message: they were given back, and OrderBy may not hold for them. If that goes on, raise what the worker may begin (RateLimit__PerSecond, MaxConcurrency), or Worker__RabbitMq__ConsumerTimeout and the server's.",
            isTransient: true);

    /// <summary>A queue is left, and the server has not answered to that.</summary>
    public static string Unheard(int settled, ServerAddress server) =>
        $"{At(server)} has not shown that it has heard of the last settlements, {settled:#,0} in all: those messages may come again, and are handled again then.";

    /// <summary>The server has ended a sweep's consumer by itself.</summary>
    /// <param name="queue">What was gone through.</param>
    /// <param name="unheard">How many messages have left it that it may not have heard of: if it crashed, it has them again.</param>
    public static BrokerException WindowEnded(string queue, int unheard)
    {
        var doubt = unheard == 0 ? "" : $" Up to {unheard} messages that had left it may be in it again, if it crashed before it heard of that: look there before trying again.";
        return new($"RabbitMQ ended the consumer of {queue}: the queue was deleted, moves, or crashed; or a message was held longer than the server allows. {TakeLess}{doubt}", isTransient: true);
    }

    /// <summary>The server has said why it takes no messages: it is short of memory or disk (connection.blocked).</summary>
    public static string TakesNothing(string why, ServerAddress server) =>
        $"RabbitMQ at {server.HostList} takes no messages at present ({why}): free some there, or change its limit (vm_memory_high_watermark, disk_free_limit).";

    /// <summary>What that means to a queue that is consumed.</summary>
    public static string HoldsUp(string obstacle) =>
        $"Nothing can be delayed or put aside: {obstacle} Such messages are held meanwhile, and take slots; what completes goes on.";

    /// <summary>What ended a sweep.</summary>
    public static BrokerException OfSweep(Exception cause, ServerAddress server, string queue, string? obstacle) =>
        obstacle is not null && First<UnansweredException>([.. All(cause)]) is { } none
            ? Passing($"{At(server)} has not answered within {none.Patience.TotalSeconds:0} s. {obstacle}", none)
        : cause is OperationInterruptedException { ShutdownReason: { } reason } && Replies.IsHeldTooLong(reason)
            ? Passing($"{At(server)} took back what was held of {Named(queue)} for longer than it allows ({Replies.Text(reason)}). {TakeLess}", cause)
            : Of(cause, server, queue);

    /// <summary>It would be read from its end, and anew after each cut: what came meanwhile would never be handled.</summary>
    public static string IsStream(string queue) =>
        $"{queue} is a stream, which a worker can't work off: it would begin each time with what comes next, and miss what had come before. Name a quorum or a classic queue.";

    /// <summary>A worker that has its hands full ends its consumers, and all that waits would go with them.</summary>
    public static string IsAutoDelete(string queue) =>
        $"{queue} is deleted with its last consumer (auto-delete), and a worker consumes only while it has room: under load the server would delete it, with all that it holds. Declare it without auto-delete.";

    public static string NoDelayedRetry(Version version, ServerAddress server) =>
        $"RabbitMQ {version} at {server.HostList} can't delay retries by itself, {Server.FirstWithDelayedRetry} and later can; set Worker__RabbitMq__DelayedRetry=WaitQueues.";

    /// <summary>The server says that nobody consumes what we consume; so does one that can't ask the queue's leader in time.</summary>
    public static BrokerException NotKnown(string queue) =>
        new($"RabbitMQ says that nobody consumes {queue}, and sends us nothing: the consumer is opened anew. If that goes on, the queue has no leader, or the server is too busy to ask it.", isTransient: true);

    /// <summary>The server has messages for us and sends none.</summary>
    public static BrokerException NotServed(string queue, uint messages, uint consumers) =>
        new(
            $"RabbitMQ says that {queue} has {messages} messages ready and {consumers} consumers, but sends us nothing: the consumer is opened anew. If that goes on, the queue is down, or other consumers come first (the only active one, or those with a higher priority).",
            isTransient: true);

    /// <summary>The server has messages for whoever looks into a queue, and shows none.</summary>
    public static BrokerException NothingHandedOut(string queue, uint messages, uint consumers) =>
        new(
            $"RabbitMQ says that {queue} has {messages} messages ready and {consumers} consumers, ours among them, but hands none out to us: other consumers come first (the only active one, or those with a higher priority), or the queue is down. Stop what consumes it, and try again.",
            isTransient: true);

    /// <summary>The server says that nobody consumes what is looked into; so does one that can't ask the queue's leader in time.</summary>
    public static BrokerException NothingTold(string queue) =>
        new($"RabbitMQ says that {queue} has neither messages nor consumers, though we consume it: the queue has no leader, or the server is too busy to ask it. What is there is not known; try again.", isTransient: true);

    /// <summary>A message was sent, and the server has said neither that it has it nor that it won't take it.</summary>
    public static BrokerException Unconfirmed(UnansweredException none, ServerAddress server, string queue, string? obstacle) =>
        Passing(
            $"{At(server)} has not confirmed a message for {Named(queue)} within {none.Patience.TotalSeconds:0} s: it may have it or not. {Why(obstacle)}",
            none);

    /// <summary>A message was to be sent, and has not left: others for the same queue are not confirmed.</summary>
    public static BrokerException Unsent(UnsentException none, ServerAddress server, string queue, string? obstacle) =>
        new(
            $"{At(server)} has not confirmed what was sent to {Named(queue)} before, so this message has not left for {none.Patience.TotalSeconds:0} s, and was not sent. {Why(obstacle)}",
            isTransient: true,
            none)
        {
            IsUnsent = true,
        };

    /// <summary>There is a connection, or the beginning of one, over which the server does not say a word.</summary>
    public static BrokerException Ungreeted(UnansweredException none, ServerAddress server) =>
        Passing(
            $"{At(server)} does not answer a new connection, not within {none.Patience.TotalSeconds:0} s. If that goes on, check hosts and ports in {OptionRules.Connection}: what listens there hangs, or is no RabbitMQ.",
            none);

    /// <summary>A file for TLS is not what its setting says.</summary>
    public static BrokerException Of(TlsFileException wrong) => Lasting($"Worker__RabbitMq__{wrong.Setting}: {wrong.Message}", wrong);

    public static BrokerException Of(Exception cause, ServerAddress server, string? queue = null)
    {
        if (cause is BrokerException told)
            return told;

        // The client wraps what happened, and with several hosts gathers it.
        Exception[] all = [.. All(cause)];
        return Memory(all, queue) ?? File(all) ?? Login(all, server) ?? Tls(all, server) ?? Reply(all, server, queue) ?? Answer(all, server, queue) ?? Sending(all, server, queue) ?? Connection(all, cause, server);
    }

    /// <summary>Null where it was not for want of memory.</summary>
    public static BrokerException? Memory(Exception[] all, string? queue) =>
        First<OutOfMemoryException>(all) is { } full
            ? Passing($"The memory that is left has no room for a message from {Named(queue)}. Set a lower Worker__MaxBytesInFlight or Worker__MaxConcurrency, or give the process more: while it arrives, its body takes three times its size, and its headers up to forty times theirs.", full)
            : null;

    /// <summary>A text of somebody else's, as it fits into a line of ours.</summary>
    public static string Line(string text) => text.ReplaceLineEndings(" ").TrimEnd('.', ' ');

    private static BrokerException? File(Exception[] all) =>
        First<TlsFileException>(all) is { } wrong ? Of(wrong) : null;

    private static BrokerException? Login(Exception[] all, ServerAddress server)
    {
        if (First<AuthenticationFailureException>(all) is { } refused)
        {
            var guest = server.User == "guest" && !server.Hosts.All(IsThisMachine) ? " Unless the server allows it, guest may log in from the server's own machine only." : "";
            return Lasting($"{At(server)} refused the login of user '{server.User}'. Check user and password in {OptionRules.Connection}.{guest}", refused);
        }

        return First<PossibleAuthenticationFailureException>(all) is { } possible
            ? Passing($"{At(server)} closed the connection during the login of user '{server.User}'. If that goes on, check user and password in {OptionRules.Connection}, and the server's log.", possible)
            : null;
    }

    // A host that can't be reached may come back and be one that is trusted.
    private static BrokerException? Tls(Exception[] all, ServerAddress server) =>
        First<AuthenticationException>(all) is { } problem
            ? new(
                $"{At(server)} can't be trusted ({Text(problem)}). Set Worker__RabbitMq__CaFile to the authority that signed its certificate, and in {OptionRules.Connection} a host that the certificate names and a port that speaks TLS.",
                isTransient: First<SocketException>(all) is not null,
                problem)
            : null;

    private static BrokerException? Reply(Exception[] all, ServerAddress server, string? queue) =>
        First<OperationInterruptedException>(all) is { ShutdownReason: { } reason } interrupted
            ? Replies.Problem(reason, server, queue, interrupted)
            : null;

    private static BrokerException? Answer(Exception[] all, ServerAddress server, string? queue) =>
        First<SilentException>(all) is { } silent
            ? Passing(
                $"{At(server)} has given no sign of life for {silent.Patience.TotalSeconds:0.#} s on the connection by which {Named(queue)} is consumed: the way there is cut, or the server is too busy. If that goes on, what is held is missed; look at the network, and at the server's log.",
                silent)
            : First<UnansweredException>(all) is { Patience: var patience } none
            ? Passing(
                $"{At(server)} does not answer when it is asked for {Named(queue)}, not within {patience.TotalSeconds:0} s. If that goes on, the queue hangs, or the server is too busy: look at its log, and at what rabbitmqctl list_unresponsive_queues says.",
                none)
            : null;

    private static BrokerException? Sending(Exception[] all, ServerAddress server, string? queue)
    {
        if (First<WireFormattingException>(all) is { } unfit)
            return Lasting($"A message for {Named(queue)} has a property that AMQP 0-9-1 can't carry: {Text(unfit)}", unfit);
        if (First<ChannelAllocationException>(all) is { } full)
            return Passing($"{At(server)} lets one connection have no further channel. Raise channel_max in its configuration: what is sent leaves by one connection, with a channel for each queue that it goes to, up to 64, dead letters and delays among them.", full);
        return First<PublishException>(all) switch
        {
            null => null,
            { IsReturn: true } returned => Lasting($"{At(server)} has no {Named(queue)} to put a message into. {Replies.MissingQueue}", returned),
            var refused => Passing($"{At(server)} did not take over a message for {Named(queue)}: the queue may be full, or short of members.", refused),
        };
    }

    private static BrokerException Connection(Exception[] all, Exception cause, ServerAddress server)
    {
        if ((First<ProtocolVersionMismatchException>(all) ?? (Exception?)First<PacketNotRecognizedException>(all)) is { } other)
            return Lasting($"{At(server)} does not speak AMQP 0-9-1. Check hosts and ports in {OptionRules.Connection}.", other);
        if (First<SocketException>(all) is { } socket)
            return Passing($"{At(server)} can't be reached ({Text(socket)}). If that goes on, check the hosts in {OptionRules.Connection}{(NameServers.AreMeant(socket) ? $", and {NameServers.Cure}" : "")}.", socket);
        if (all.Any(e => e is TimeoutException or OperationCanceledException))
        {
            return First<ConnectFailureException>(all) is { } silent
                ? Passing($"{At(server)} can't be reached (nothing answers there). If that goes on, check the hosts in {OptionRules.Connection}, and what keeps packets from them: the server's machine may be gone, or a firewall drops them.", silent)
                : Passing($"{At(server)} did not answer in time.", cause);
        }

        // The client keeps to itself why IPv6 did not lead there, and tells only that there is no other way.
        if (First<ConnectFailureException>(all) is { } unreached)
            return Passing($"{At(server)} can't be reached (not by IPv6, and its hosts have no IPv4 address). If that goes on, check the hosts in {OptionRules.Connection}.", unreached);
        if (all[^1] is ObjectDisposedException)
            return Passing($"The connection to {At(server)} was closed.", cause);

        // What says only that there was no connection is an IOException too.
        return all.FirstOrDefault(e => e is IOException and not BrokerUnreachableException) is { } broken
            ? Passing($"The connection to {At(server)} broke ({Text(broken)}).", broken)
            : Passing($"{At(server)} can't be used just now ({Text(all[^1])}).", cause);
    }

    private static string Why(string? obstacle) =>
        obstacle ?? "If that goes on, the queue hangs, or the server is short of memory or disk: look at its log, and at what rabbitmqctl list_unresponsive_queues says.";

    public static string At(ServerAddress server) => $"RabbitMQ at {server}";

    public static string Named(string? queue) => queue is null ? "queue" : $"queue '{queue}'";

    private static BrokerException Lasting(string message, Exception cause) => new(message, isTransient: false, cause);

    private static BrokerException Passing(string message, Exception cause) => new(message, isTransient: true, cause);

    private static bool IsThisMachine(ServerHost host) => host.Name is "localhost" or "::1" || host.Name.StartsWith("127.", StringComparison.Ordinal);

    private static string Text(SocketException problem) => NameServers.Silence(problem) ?? Line(problem.Message);

    private static string Text(Exception problem) => Line(problem.Message);

    private static T? First<T>(Exception[] all)
        where T : Exception => all.OfType<T>().FirstOrDefault();

    private static IEnumerable<Exception> All(Exception problem)
    {
        yield return problem;
        var inner = problem switch
        {
            AggregateException { InnerExceptions: var several } => several,
            { InnerException: { } one } => [one],
            _ => (IEnumerable<Exception>)[],
        };
        foreach (var further in inner.SelectMany(All))
            yield return further;
    }
}
