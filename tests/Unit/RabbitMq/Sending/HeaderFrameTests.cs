using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class HeaderFrameTests
{
    private const int Most = 4096;

    private static readonly Settlement s_settlement = Settlement.DeadLetter("BadOrder", Long(500)).With(new Dictionary<string, object?>
    {
        [DeadLetterProperties.Worker] = "one",
        [DeadLetterProperties.Stack] = Long(500),
        [DeadLetterProperties.ExceptionMessage] = Long(500),
        [DeadLetterProperties.Failures] = Long(500),
        ["mine"] = Long(500),
    });

    [Fact]
    public async Task A_message_whose_properties_are_too_large_is_refused_and_not_sent()
    {
        var connection = FakeConnection.Open();
        connection.FrameMax = Most;
        await using var broker = new RabbitMqBroker(new() { Uri = "amqp://host" }, _ => Task.FromResult(connection.Connection));
        await using var sender = await broker.OpenSenderAsync("orders", CancellationToken.None);

        await sender.SendAsync(Holding(100), TimeSpan.Zero, CancellationToken.None);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => sender.SendAsync(Holding(Most), TimeSpan.Zero, CancellationToken.None).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Matches(
            @"^The properties of a message for queue 'orders' take 4\d\d\d bytes, and RabbitMQ takes 4096 \(frame_max\)[.] Put into the body what is large, or raise frame_max in the server's configuration[.]$",
            problem.Message);
        Assert.Equal(["look", "publish"], connection.Channels.SelectMany(channel => channel.Asked()));
    }

    [Fact]
    public void Where_a_connection_has_no_limit_everything_fits() => HeaderFrame.Fit(Sent(Most), mostBytes: 0, "orders");

    [Theory]
    [InlineData(500, DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(1300, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(1800, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine")]
    [InlineData(2300, DeadLetterProperties.Description, "mine")]
    [InlineData(2800, "mine")]
    [InlineData(3300)]
    public void Of_a_dead_letter_what_we_add_gives_way_and_not_the_message(int size, params string[] kept)
    {
        var envelope = Envelope.ToPutAside(Delivered(Sent(size)), s_settlement, default);

        HeaderFrame.Fit(envelope, Most, "orders.dead");

        Assert.Equal(size, Assert.IsType<string>(envelope.Headers!["sent"]).Length);
        Assert.Equal("BadOrder", envelope.Headers[DeadLetterProperties.Reason]);
        string[] additions = [DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description, "mine"];
        Assert.Equal(kept, additions.Where(envelope.Headers.ContainsKey));
    }

    [Fact]
    public void Of_a_message_that_is_to_wait_how_often_it_came_stays_and_what_it_came_with()
    {
        var original = Sent(3000);
        original.Headers!["mine"] = "sent";
        var envelope = Envelope.ToWait(Delivered(original), s_settlement.With(new Dictionary<string, object?> { ["mine"] = Long(2000) }));

        HeaderFrame.Fit(envelope, Most, "orders.wait.5000");

        Assert.Equal(("sent", 1), (envelope.Headers!["mine"], envelope.Headers["holdfast-deliveries"]));
    }

    [Fact]
    public void What_leaves_no_room_for_the_least_of_it_is_refused() =>
        Assert.Throws<BrokerException>(() => HeaderFrame.Fit(Envelope.ToPutAside(Delivered(Sent(Most)), s_settlement, default), Most, "orders.dead"));

    private static string Long(int length) => new('x', length);

    private static Message Holding(int size) => new() { Id = "a", Properties = new Dictionary<string, object?> { ["sent"] = Long(size) } };

    private static BasicProperties Sent(int size) => new() { MessageId = "a", Headers = new Dictionary<string, object?> { ["sent"] = Long(size) } };

    private static RabbitMqDelivery Delivered(BasicProperties envelope) => new(new Tap(Opened.Idle(), prefetch: 1), Arriving.Message(envelope));
}
