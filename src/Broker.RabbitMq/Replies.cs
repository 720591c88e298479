using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What the server means by the code and text with which it closes a channel or a connection.</summary>
internal static class Replies
{
    public const string MissingQueue =
        "Create it, set Worker__RabbitMq__Declare=true to have it declared, or name another in Worker__Queue, or by a command's --queue or --to.";

    private const string MissingDeadLetterQueue =
        "Create it, durable; or set Worker__RabbitMq__Declare=true, where the queue that it belongs to is the worker's to declare as well.";

    private const string LargerThan = "is larger than";

    // The server names the first argument that differs, and where the type does that may be one that goes with it.
    private static readonly string[] s_ofTypeAndPriority = ["x-queue-type", "x-max-priority", "x-dead-letter-strategy", "x-overflow"];

    /// <summary>Whether the server has refused a message that was sent by this channel, and does not say that it was the one of that size.</summary>
    public static bool IsPerhapsAnother(ShutdownEventArgs reason, int size) =>
        reason.ReplyCode == Constants.PreconditionFailed && !IsTooLarge(reason, size);

    /// <summary>Whether the server has refused a message of that size for its size.</summary>
    public static bool IsTooLarge(ShutdownEventArgs reason, int size) =>
        reason.ReplyCode == Constants.PreconditionFailed && Says(reason.ReplyText, $"message size {size} {LargerThan}");

    /// <summary>Whether the server ended a channel because one of its deliveries was not settled in time.</summary>
    public static bool IsHeldTooLong(ShutdownEventArgs reason) => reason.ReplyCode == Constants.PreconditionFailed && IsHeldTooLong(reason.ReplyText);

    /// <summary>Whether a message may have ended the connection that it was handed out by: the server can't write it, or the client can't read it.</summary>
    public static bool IsPerhapsForMessage(ShutdownEventArgs reason) =>
        reason is { Initiator: ShutdownInitiator.Peer, ReplyCode: Constants.InternalError } || IsUnreadable(reason);

    /// <summary>What a message is told that was on its way by the same channel as one that the server did not take.</summary>
    public static BrokerException PerhapsAnother(ShutdownEventArgs reason, ServerAddress server, string queue, Exception cause) =>
        new($"{Problems.At(server)} refused this message for {Problems.Named(queue)}, or another one that was sent with it ({Text(reason)}): it may have this one or not.", isTransient: true, cause);

    public static BrokerException Problem(ShutdownEventArgs reason, ServerAddress server, string? queue, Exception? cause)
    {
        var (text, at) = (Text(reason), Problems.At(server));
        if (reason.Initiator != ShutdownInitiator.Peer)
            return OfClient(reason, server, queue, cause);

        return reason.ReplyCode switch
        {
            Constants.NotAllowed => NotAllowed(text, server, cause),
            Constants.AccessRefused when Says(text, "exclusive use") => new($"{at} lets somebody else alone use {Problems.Named(queue)} ({text}).", isTransient: true, cause),
            Constants.AccessRefused when Says(text, "reserved prefix") => Lasting($"{at} keeps such names as that of {Problems.Named(queue)} for itself ({text}). Choose one that does not begin with 'amq.'."),
            Constants.AccessRefused => Lasting($"{at} does not let user '{server.User}' use {Problems.Named(queue)} ({text}). Grant the permission, or set another user in {OptionRules.Connection}."),
            Constants.ResourceLocked => new(
                $"{at} lets nobody use {Problems.Named(queue)} but the connection that declared it, and deletes it with that ({text}). Declare it without exclusive, and durable.", isTransient: true, cause),
            Constants.NotFound => Says(text, "no queue")
                ? Lasting($"{at} has no {Problems.Named(queue)} ({text}). {(QueueArguments.IsDeadLetterQueue(queue ?? "") ? MissingDeadLetterQueue : MissingQueue)}")
                : new($"{at} can't find what belongs to {Problems.Named(queue)} ({text}).", isTransient: !Says(text, "no exchange"), cause),
            Constants.PreconditionFailed => Precondition(text, server, queue, cause),
            Constants.NotImplemented => Lasting($"{at} can't do what {Problems.Named(queue)} is asked for ({text}). It may be too old for Worker__RabbitMq__QueueType or __DelayedRetry."),
            Constants.InternalError => new(
                $"{at} broke off ({text}); the server's own log names the cause. If that goes on for {Problems.Named(queue)}, it is down or has no leader, or holds a message that the server can't hand out: look for that with rabbitmqadmin get queue=NAME count=100, and remove it.",
                isTransient: true,
                cause),
            _ => new($"{at} broke off ({text}).", isTransient: true, cause),
        };

        BrokerException Lasting(string message) => new(message, isTransient: false, cause);
    }

    private static BrokerException OfClient(ShutdownEventArgs reason, ServerAddress server, string? queue, Exception? cause)
    {
        var (text, at) = (Text(reason), Problems.At(server));
        if (reason.Exception is { } problem && Problems.Memory([problem], queue) is { } full)
            return full;
        return IsUnreadable(reason)
            ? new($"What {at} sends for {Problems.Named(queue)} can't be read ({text}). Most likely it is a header of the message at its head: nothing that is behind it comes before that message is removed, as with rabbitmqadmin get queue=NAME ackmode=ack_requeue_false.", isTransient: true, cause)
            : new($"The connection to {at} was closed ({text}).", isTransient: true, cause);
    }

    // A virtual host that is down comes up again, and a limit leaves room some time.
    private static BrokerException NotAllowed(string text, ServerAddress server, Exception? cause)
    {
        var at = Problems.At(server);
        if (Says(text, "limit"))
        {
            return Says(text, "channel")
                ? Passing($"{at} opens no channel now ({text}). If that goes on, raise that limit, or run fewer workers: each has a channel or two for every queue that it consumes, and one for each that it sends to, dead letters and delays among them.")
                : Passing($"{at} takes no connection now ({text}). If that goes on, raise that limit, or run fewer workers: each has a connection for every queue, and two more.");
        }

        return Says(text, "is down")
            ? Passing($"{at} takes no connection now ({text}).")
            : new(
                $"{at} does not let user '{server.User}' use virtual host '{server.VirtualHost}' ({text}). Check the virtual host in {OptionRules.Connection}, and the user's permissions on it.",
                isTransient: false,
                cause);

        BrokerException Passing(string message) => new(message, isTransient: true, cause);
    }

    private static BrokerException Precondition(string text, ServerAddress server, string? queue, Exception? cause)
    {
        var (at, named) = (Problems.At(server), Problems.Named(queue));
        if (IsHeldTooLong(text))
            return new($"{at} closed the channel of {named}: a delivery was held longer than it allows ({text}). Set Worker__RabbitMq__ConsumerTimeout to no more than that.", isTransient: true, cause);
        if (Says(text, "delivery tag"))
            return new($"{at} closed the channel of {named} ({text}).", isTransient: true, cause);
        if (Says(text, "invalid arg 'x-max-priority'"))
            return new($"{at} can't give {named} priorities ({text}). Set Worker__RabbitMq__MaxPriority=0, or Worker__RabbitMq__QueueType=Classic.", isTransient: false, cause);
        if (Says(text, LargerThan))
            return new($"{at} takes no message as large as this one for {named} ({text}). Send a reference to the content instead, or raise max_message_size in the server's configuration.", isTransient: false, cause);
        if (Says(text, "queue limit"))
            return new($"{at} takes no further queue, and has no {named} yet ({text}). Raise that limit (max-queues), or delete queues that nobody uses any more.", isTransient: false, cause);
        if ((Says(text, "inequivalent arg 'x-dead-letter-exchange'") || Says(text, "inequivalent arg 'x-dead-letter-routing-key'")) && queue is not null && !QueueArguments.IsDeadLetterQueue(queue))
            return new($"{at} has {named} without our dead-letter queue behind it ({text}). Set Worker__RabbitMq__Declare=false to take it as it is, and create '{QueueArguments.DeadLetterQueueOf(queue)}' beside it.", isTransient: false, cause);
        if (!Says(text, "inequivalent"))
            return new($"{at} refused what was asked of {named} ({text}).", isTransient: false, cause);
        return new($"{at} has {named} with other arguments ({text}). {Declaring(text)} Worker__RabbitMq__Declare=false to take all queues of this worker as they are, for they may differ then, and create those that are missing, each with its dead-letter queue.", isTransient: false, cause);
    }

    private static string Declaring(string text) =>
        Array.Exists(s_ofTypeAndPriority, argument => Says(text, $"'{argument}'")) ? "Set Worker__RabbitMq__QueueType and __MaxPriority to what it has; or"
        : Says(text, "'x-delayed-retry") ? "Set Worker__RabbitMq__DelayedRetry, Worker__Retry__Delay and __MaxDelay to what it has; or"
        : "No setting declares it so. Set";

    // The client reads headers before anybody may see the message, and ends its connection where it can't.
    private static bool IsUnreadable(ShutdownEventArgs reason) => reason is { Initiator: ShutdownInitiator.Library, ReplyCode: Constants.SyntaxError };

    private static bool IsHeldTooLong(string text) => Says(text, "acknowledgement") && Says(text, "timed out");

    private static bool Says(string text, string part) => text.Contains(part, StringComparison.OrdinalIgnoreCase);

    // Where the client itself gave up, its exception tells more than "End of stream".
    public static string Text(ShutdownEventArgs reason) =>
        Problems.Line(reason is { Initiator: not ShutdownInitiator.Peer, Exception: { } problem } ? problem.Message : reason.ReplyText);
}
