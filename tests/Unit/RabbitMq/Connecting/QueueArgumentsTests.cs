using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class QueueArgumentsTests
{
    [Fact]
    public void A_quorum_queue_gives_nothing_up_before_its_dead_letter_queue_has_it() =>
        Assert.Equal(
            "x-dead-letter-exchange=, x-dead-letter-routing-key=orders.dead, x-dead-letter-strategy=at-least-once, x-overflow=reject-publish, x-queue-type=quorum",
            OfWork(new RabbitMqBrokerOptions { Uri = "" }));

    [Fact]
    public void A_classic_queue_knows_no_such_strategy() =>
        Assert.Equal(
            "x-dead-letter-exchange=, x-dead-letter-routing-key=orders.dead, x-queue-type=classic",
            OfWork(new RabbitMqBrokerOptions { Uri = "", QueueType = QueueType.Classic }));

    [Fact]
    public void Priorities_are_declared_where_they_are_asked_for() =>
        Assert.Equal(
            "x-dead-letter-exchange=, x-dead-letter-routing-key=orders.dead, x-max-priority=9, x-queue-type=classic",
            OfWork(new RabbitMqBrokerOptions { Uri = "", QueueType = QueueType.Classic, MaxPriority = 9 }));

    [Fact]
    public void The_server_that_delays_by_itself_is_told_how_long()
    {
        var arguments = QueueArguments.OfWork("orders", new RabbitMqBrokerOptions
        {
            Uri = "",
            DelayedRetry = DelayedRetry.Native,
            NativeRetryDelay = TimeSpan.FromSeconds(3),
            NativeRetryMaxDelay = TimeSpan.FromMinutes(1),
        });

        Assert.Equal("failed", arguments["x-delayed-retry-type"]);
        Assert.Equal(3000L, arguments["x-delayed-retry-min"]);
        Assert.Equal(60_000L, arguments["x-delayed-retry-max"]);
    }

    [Theory]
    [InlineData(QueueType.Quorum, "x-dead-letter-exchange=, x-dead-letter-routing-key=orders, x-dead-letter-strategy=at-least-once, x-message-ttl=1500, x-overflow=reject-publish, x-queue-type=quorum")]
    [InlineData(QueueType.Classic, "x-dead-letter-exchange=, x-dead-letter-routing-key=orders, x-message-ttl=1500, x-queue-type=classic")]
    public void What_waits_expires_into_the_queue_that_it_came_from(QueueType type, string arguments) =>
        Assert.Equal(arguments, Shown(QueueArguments.OfWait("orders", TimeSpan.FromSeconds(1.5), type)));

    [Fact]
    public void A_passage_ends_in_a_queue_whose_leader_can_not_move() =>
        Assert.Equal(
            "x-dead-letter-exchange=, x-dead-letter-routing-key=orders, x-dead-letter-strategy=at-least-once, x-message-ttl=0, x-overflow=reject-publish, x-queue-leader-locator=client-local, x-queue-type=quorum, x-quorum-initial-group-size=1",
            Shown(QueueArguments.OfPassageEnd("orders")));

    [Theory]
    [InlineData(QueueType.Quorum, "x-queue-type=quorum")]
    [InlineData(QueueType.Classic, "x-queue-type=classic")]
    public void A_dead_letter_queue_keeps_all_that_it_gets(QueueType type, string arguments) =>
        Assert.Equal(arguments, Shown(QueueArguments.OfDeadLetters(new RabbitMqBrokerOptions { Uri = "", QueueType = type, MaxPriority = 9 })));

    [Fact]
    public void A_dead_letter_queue_is_known_by_its_name()
    {
        Assert.Equal("orders.dead", QueueArguments.DeadLetterQueueOf("orders"));
        Assert.True(QueueArguments.IsDeadLetterQueue("orders.dead"));
        Assert.False(QueueArguments.IsDeadLetterQueue("orders"));
        Assert.False(QueueArguments.IsDeadLetterQueue("orders.DEAD"));
    }

    private static string OfWork(RabbitMqBrokerOptions options) => Shown(QueueArguments.OfWork("orders", options));

    private static string Shown(Dictionary<string, object?> arguments) =>
        string.Join(", ", arguments.OrderBy(argument => argument.Key, StringComparer.Ordinal).Select(argument => $"{argument.Key}={argument.Value}"));
}
