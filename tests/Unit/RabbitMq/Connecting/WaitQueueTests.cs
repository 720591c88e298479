using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class WaitQueueTests
{
    // Ten years: with more, 3.10.8 refuses to declare a queue.
    private const long LongestOfServer = 315_360_000_000;

    private readonly FakeConnection _connection = FakeConnection.Open();

    [Theory]
    [InlineData("00:00:05", 5_000)]
    [InlineData("60.00:00:00", 5_200_000_000)]
    [InlineData("3587.00:00:00", 310_000_000_000)]
    [InlineData("3600.00:00:00", 310_000_000_000)]
    [InlineData("10675199.02:48:05.4775807", 310_000_000_000)]
    [InlineData("00:00:00", 1)]
    public async Task A_wait_is_as_long_as_the_server_can_keep_a_message_back_and_not_longer(string wait, long milliseconds)
    {
        var address = ServerAddress.Parse("amqp://host");
        var topology = new Topology(new() { Uri = "amqp://host" }, address, new Questions(address, TimeProvider.System));

        var name = await topology.WaitQueueAsync(_connection.Connection, "orders", TimeSpan.Parse(wait), default);

        var (declared, arguments) = Assert.Single(_connection.Channels.SelectMany(channel => channel.Declared));
        Assert.Equal($"orders.wait.{milliseconds}", name);
        Assert.Equal((name, milliseconds), (declared, arguments["x-message-ttl"]));
        Assert.InRange(milliseconds, 1, LongestOfServer);
    }
}
