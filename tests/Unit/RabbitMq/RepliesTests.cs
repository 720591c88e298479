using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class RepliesTests
{
    private const string At = "RabbitMQ at amqp://me@one:5672/shop";
    private static readonly ServerAddress s_server = ServerAddress.Parse("amqp://me:secret@one/shop");

    [Theory]
    [InlineData(530, "NOT_ALLOWED - vhost shop not found", $"{At} does not let user 'me' use virtual host 'shop' (NOT_ALLOWED - vhost shop not found). Check the virtual host in ConnectionStrings__RabbitMq, and the user's permissions on it.")]
    [InlineData(403, "ACCESS_REFUSED - access to queue 'orders' refused", $"{At} does not let user 'me' use queue 'orders' (ACCESS_REFUSED - access to queue 'orders' refused). Grant the permission, or set another user in ConnectionStrings__RabbitMq.")]
    [InlineData(403, "ACCESS_REFUSED - queue name 'orders' contains reserved prefix 'amq.*'", $"{At} keeps such names as that of queue 'orders' for itself (ACCESS_REFUSED - queue name 'orders' contains reserved prefix 'amq.*'). Choose one that does not begin with 'amq.'.")]
    [InlineData(404, "NOT_FOUND - no queue 'orders' in vhost 'shop'", $"{At} has no queue 'orders' (NOT_FOUND - no queue 'orders' in vhost 'shop'). Create it, set Worker__RabbitMq__Declare=true to have it declared, or name another in Worker__Queue, or by a command's --queue or --to.")]
    [InlineData(404, "NOT_FOUND - no exchange 'x' in vhost 'shop'", $"{At} can't find what belongs to queue 'orders' (NOT_FOUND - no exchange 'x' in vhost 'shop').")]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-queue-type'", $"{At} has queue 'orders' with other arguments (PRECONDITION_FAILED - inequivalent arg 'x-queue-type'). Set Worker__RabbitMq__QueueType and __MaxPriority to what it has; or Worker__RabbitMq__Declare=false to take all queues of this worker as they are, for they may differ then, and create those that are missing, each with its dead-letter queue.")]
    [InlineData(406, "PRECONDITION_FAILED - invalid arg 'x-max-priority' of queue type rabbit_quorum_queue", $"{At} can't give queue 'orders' priorities (PRECONDITION_FAILED - invalid arg 'x-max-priority' of queue type rabbit_quorum_queue). Set Worker__RabbitMq__MaxPriority=0, or Worker__RabbitMq__QueueType=Classic.")]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange'", $"{At} has queue 'orders' without our dead-letter queue behind it (PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-exchange'). Set Worker__RabbitMq__Declare=false to take it as it is, and create 'orders.dead' beside it.")]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-strategy'", $"{At} has queue 'orders' with other arguments (PRECONDITION_FAILED - inequivalent arg 'x-dead-letter-strategy'). Set Worker__RabbitMq__QueueType and __MaxPriority to what it has; or Worker__RabbitMq__Declare=false to take all queues of this worker as they are, for they may differ then, and create those that are missing, each with its dead-letter queue.")]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl'", $"{At} has queue 'orders' with other arguments (PRECONDITION_FAILED - inequivalent arg 'x-message-ttl'). No setting declares it so. Set Worker__RabbitMq__Declare=false to take all queues of this worker as they are, for they may differ then, and create those that are missing, each with its dead-letter queue.")]
    [InlineData(406, "PRECONDITION_FAILED - inequivalent arg 'x-delayed-retry-min'", $"{At} has queue 'orders' with other arguments (PRECONDITION_FAILED - inequivalent arg 'x-delayed-retry-min'). Set Worker__RabbitMq__DelayedRetry, Worker__Retry__Delay and __MaxDelay to what it has; or Worker__RabbitMq__Declare=false to take all queues of this worker as they are, for they may differ then, and create those that are missing, each with its dead-letter queue.")]
    [InlineData(406, "PRECONDITION_FAILED - invalid arg 'x-odd'", $"{At} refused what was asked of queue 'orders' (PRECONDITION_FAILED - invalid arg 'x-odd').")]
    [InlineData(406, "PRECONDITION_FAILED - message size 900 is larger than configured max size 500", $"{At} takes no message as large as this one for queue 'orders' (PRECONDITION_FAILED - message size 900 is larger than configured max size 500). Send a reference to the content instead, or raise max_message_size in the server's configuration.")]
    [InlineData(406, "PRECONDITION_FAILED - cannot declare queue 'orders': queue limit in vhost 'shop' (2) is reached", $"{At} takes no further queue, and has no queue 'orders' yet (PRECONDITION_FAILED - cannot declare queue 'orders': queue limit in vhost 'shop' (2) is reached). Raise that limit (max-queues), or delete queues that nobody uses any more.")]
    [InlineData(540, "NOT_IMPLEMENTED", $"{At} can't do what queue 'orders' is asked for (NOT_IMPLEMENTED). It may be too old for Worker__RabbitMq__QueueType or __DelayedRetry.")]
    public void What_a_new_try_would_only_meet_again_lasts(ushort code, string text, string line) => Tells(code, text, line, isTransient: false);

    [Theory]
    [InlineData(530, "NOT_ALLOWED - vhost 'shop' is down", $"{At} takes no connection now (NOT_ALLOWED - vhost 'shop' is down).")]
    [InlineData(530, "NOT_ALLOWED - access to vhost 'shop' refused for user 'me': connection limit (5) is reached", $"{At} takes no connection now (NOT_ALLOWED - access to vhost 'shop' refused for user 'me': connection limit (5) is reached). If that goes on, raise that limit, or run fewer workers: each has a connection for every queue, and two more.")]
    [InlineData(530, "NOT_ALLOWED - number of channels opened for user 'me' has reached the maximum allowed user limit of (2)", $"{At} opens no channel now (NOT_ALLOWED - number of channels opened for user 'me' has reached the maximum allowed user limit of (2)). If that goes on, raise that limit, or run fewer workers: each has a channel or two for every queue that it consumes, and one for each that it sends to, dead letters and delays among them.")]
    [InlineData(403, "ACCESS_REFUSED - queue 'orders' in vhost 'shop' in exclusive use", $"{At} lets somebody else alone use queue 'orders' (ACCESS_REFUSED - queue 'orders' in vhost 'shop' in exclusive use).")]
    [InlineData(404, "NOT_FOUND - home node of durable queue 'orders' is down or inaccessible", $"{At} can't find what belongs to queue 'orders' (NOT_FOUND - home node of durable queue 'orders' is down or inaccessible).")]
    [InlineData(405, "RESOURCE_LOCKED - no exclusive access", $"{At} lets nobody use queue 'orders' but the connection that declared it, and deletes it with that (RESOURCE_LOCKED - no exclusive access). Declare it without exclusive, and durable.")]
    [InlineData(406, "PRECONDITION_FAILED - unknown delivery tag 7", $"{At} closed the channel of queue 'orders' (PRECONDITION_FAILED - unknown delivery tag 7).")]
    [InlineData(406, "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 5000 ms.", $"{At} closed the channel of queue 'orders': a delivery was held longer than it allows (PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 5000 ms). Set Worker__RabbitMq__ConsumerTimeout to no more than that.")]
    [InlineData(320, "CONNECTION_FORCED - Closed\nvia management plugin", $"{At} broke off (CONNECTION_FORCED - Closed via management plugin).")]
    [InlineData(541, "INTERNAL_ERROR", $"{At} broke off (INTERNAL_ERROR); the server's own log names the cause. If that goes on for queue 'orders', it is down or has no leader, or holds a message that the server can't hand out: look for that with rabbitmqadmin get queue=NAME count=100, and remove it.")]
    [InlineData(501, "FRAME_ERROR", $"{At} broke off (FRAME_ERROR).")]
    public void What_time_may_heal_passes(ushort code, string text, string line) => Tells(code, text, line, isTransient: true);

    [Fact]
    public void What_the_client_itself_gave_up_is_told_in_its_own_words()
    {
        var reason = new ShutdownEventArgs(ShutdownInitiator.Library, 541, "End of stream", new EndOfStreamException("Heartbeat missing."));

        Assert.Equal($"The connection to {At} was closed (Heartbeat missing).", Problems.Of(new OperationInterruptedException(reason), s_server).Message);
    }

    [Fact]
    public void A_dead_letter_queue_that_is_missing_is_not_to_be_replaced_by_another()
    {
        var problem = Problems.Of(new AlreadyClosedException(new ShutdownEventArgs(ShutdownInitiator.Peer, 404, "NOT_FOUND - no queue 'orders.dead' in vhost 'shop'")), s_server, "orders.dead");

        Assert.EndsWith("Create it, durable; or set Worker__RabbitMq__Declare=true, where the queue that it belongs to is the worker's to declare as well.", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_the_memory_has_no_room_for_is_told_wherever_it_is_noticed()
    {
        var reason = new ShutdownEventArgs(ShutdownInitiator.Library, 541, "", new InsufficientMemoryException());

        foreach (var problem in new Exception[] { new InsufficientMemoryException(), new AlreadyClosedException(reason) })
            Assert.Matches("^The memory that is left has no room for a message from queue 'orders'. Set a lower Worker__MaxBytesInFlight .* body .* headers ", Problems.Of(problem, s_server, "orders").Message);
    }

    [Fact]
    public void What_the_client_can_not_read_is_told_as_what_lies_in_the_queue()
    {
        var reason = new ShutdownEventArgs(ShutdownInitiator.Library, 502, "SYNTAX_ERROR", new IOException("Unrepresentable number."));

        var problem = Problems.Of(new AlreadyClosedException(reason), s_server, "orders");

        Assert.True(problem.IsTransient);
        Assert.StartsWith($"What {At} sends for queue 'orders' can't be read (Unrepresentable number). Most likely it is a header of the message at its head", problem.Message, StringComparison.Ordinal);
    }

    private static void Tells(ushort code, string text, string line, bool isTransient)
    {
        var closed = new AlreadyClosedException(new ShutdownEventArgs(ShutdownInitiator.Peer, code, text));

        var problem = Problems.Of(closed, s_server, "orders");

        Assert.Equal((line, isTransient), (problem.Message, problem.IsTransient));
    }
}
