using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class InspectionTests
{
    private readonly FakeConnection _connection = FakeConnection.Open();

    [Theory]
    [InlineData("orders")]
    [InlineData("orders.dead")]
    public async Task Of_a_queue_and_the_one_for_its_dead_letters_that_is_asked_which_a_worker_would_declare(string queue)
    {
        var options = new RabbitMqBrokerOptions { Uri = "amqp://host", Declare = true };
        var address = ServerAddress.Parse(options.Uri);
        await using var link = new Link(options, address, "desk", _ => Task.FromResult(_connection.Connection));

        await foreach (var _ in new Inspection(options, address, link, new Questions(address, TimeProvider.System), queue, maxDeliveries: 10).RunAsync(default))
        {
        }

        var declared = _connection.Channels.SelectMany(channel => channel.Declared).ToDictionary();
        Assert.Equal(queue == "orders" ? QueueArguments.OfWork("orders", options) : QueueArguments.OfDeadLetters(options), declared[queue]);
        Assert.Equal(QueueArguments.OfDeadLetters(options), declared[$"{queue}.dead"]);
    }
}
