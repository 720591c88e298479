using RabbitMQ.Client;
using RabbitMQ.Client.Events;
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

    private readonly Mailboxes _mailboxes = new(options.TimeProvider);
    private Refusal? _tooLarge;

    /// <summary>How long a sender waits for the server to confirm: a queue that hangs never does, and a connection that is dead has been found out by then.</summary>
    public TimeSpan Patience { get; } = new(Math.Max(s_leastPatience.Ticks, (options.Heartbeat * HeartbeatsToConfirm).Ticks));

    /// <summary>Why nothing can be sent right now, where the server says so.</summary>
    public string? Obstacle => link.Obstacle;

    /// <summary>Sends to a queue, and returns once the server has it.</summary>
    /// <param name="queue">The queue.</param>
    /// <param name="envelope">The message's properties.</param>
    /// <param name="body">The message.</param>
    /// <param name="patience">How long the server's word is waited for.</param>
    /// <param name="cancel">Ends the waiting; what has not left by then never will.</param>
    /// <param name="left">Told when it leaves: of what ends, whoever waits for it, once the server has it, or has refused it, or is gone.</param>
    /// <exception cref="BrokerException">The server refused it, or whether it has it is unknown.</exception>
    public async ValueTask SendAsync(string queue, BasicProperties envelope, ReadOnlyMemory<byte> body, TimeSpan patience, CancellationToken cancel, Action<Task>? left = null)
    {
        try
        {
            await PublishAsync(_mailboxes.Of(queue), queue, envelope, body, patience, left, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (IsMissing(problem) && options.Declare && QueueArguments.IsDeadLetterQueue(queue))
        {
            // Somebody has deleted it since the start, and it is ours to declare.
            var connection = await asking.OpenAsync(cancel).ConfigureAwait(false);
            await topology.EnsureAsync(connection, queue, cancel).ConfigureAwait(false);
            await PublishAsync(_mailboxes.Of(queue), queue, envelope, body, patience, left, cancel).ConfigureAwait(false);
        }
    }

    /// <summary>Sends to where it waits before it comes to the queue.</summary>
    /// <inheritdoc cref="SendAsync"/>
    public async ValueTask SendLaterAsync(
        string queue,
        TimeSpan wait,
        BasicProperties envelope,
        ReadOnlyMemory<byte> body,
        TimeSpan patience,
        CancellationToken cancel,
        Action<Task>? left = null)
    {
        try
        {
            await SendToWaitAsync().ConfigureAwait(false);
        }
        catch (BrokerException problem) when (IsMissing(problem))
        {
            // It was there once. That is forgotten by now, so it is declared anew.
            await SendToWaitAsync().ConfigureAwait(false);
        }

        async ValueTask SendToWaitAsync()
        {
            // To declare it on a connection that the server does not read would wait for as long.
            var connection = await asking.OpenAsync(cancel).ConfigureAwait(false);
            var waitQueue = await topology.WaitQueueAsync(connection, queue, wait, cancel).ConfigureAwait(false);

            // All that a queue's messages wait in hangs and goes on as one, and there may be many.
            await PublishAsync(_mailboxes.Of($"{queue}.wait"), waitQueue, envelope, body, patience, left, cancel).ConfigureAwait(false);
        }
    }

    private async ValueTask PublishAsync(Mailbox mailbox, string queue, BasicProperties envelope, ReadOnlyMemory<byte> body, TimeSpan patience, Action<Task>? left, CancellationToken cancel)
    {
        if (Obstacle is { } obstacle)
            throw new BrokerException(obstacle, isTransient: true) { IsUnsent = true };

        IConnection? connection = null;
        try
        {
            connection = await link.OpenAsync(cancel).WithinAsync(patience, options.TimeProvider, cancel).ConfigureAwait(false);
            RefuseTooLarge(connection, queue, body.Length);
            HeaderFrame.Fit(envelope, connection.FrameMax, queue);

            // Only the waiting is called off: where a publish is, while another one waits behind it, the client (7.1) may lose count,
            // and take the server's word about one message for that about another.
            await mailbox.BagOn(connection).SendAsync(LeaveAsync, left, patience, cancel).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not (BrokerException or OperationCanceledException) || !cancel.IsCancellationRequested)
        {
            if (e is PublishException)
                topology.Forget(queue);
            if (e is OperationInterruptedException { ShutdownReason: { } reason } && Replies.IsTooLarge(reason, body.Length))
                Volatile.Write(ref _tooLarge, new(connection!, body.Length, reason));
            throw Explain(e, queue, body.Length);
        }

        async Task LeaveAsync(IChannel channel) =>
            await channel.BasicPublishAsync("", queue, mandatory: true, envelope, body, CancellationToken.None).ConfigureAwait(false);
    }

    // Each one that leaves ends its channel, for all that is on its way by it; and it is tried again, as often as its message. The limit is the server's, and changes with its start.
    private void RefuseTooLarge(IConnection connection, string queue, int size)
    {
        if (Volatile.Read(ref _tooLarge) is { } known && known.Connection == connection && size >= known.Size)
            throw Replies.Problem(known.Reason, address, queue, cause: null);
    }

    private static bool IsMissing(BrokerException problem) => problem.GetBaseException() is PublishException { IsReturn: true };

    private BrokerException Explain(Exception problem, string queue, int size) => problem switch
    {
        UnfitException unfit => new BrokerException(unfit.Message, isTransient: false, unfit),
        UnsentException unsent => Problems.Unsent(unsent, address, queue, Obstacle),
        UnansweredException none => Problems.Unconfirmed(none, address, queue, Obstacle),

        // The channel ends for all that is on its way by it, and says to all what was wrong with one of them.
        OperationInterruptedException { ShutdownReason: { } reason } ended when Replies.IsPerhapsAnother(reason, size)
            => Replies.PerhapsAnother(reason, address, queue, ended),
        _ => Problems.Of(problem, address, queue),
    };

    /// <summary>The smallest message that the server has found too large by this connection, and what it said.</summary>
    private sealed record Refusal(IConnection Connection, int Size, ShutdownEventArgs Reason);
}
