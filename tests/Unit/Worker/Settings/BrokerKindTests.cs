using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class BrokerKindTests
{
    [Theory]
    [InlineData("ServiceBus", "ServiceBus")]
    [InlineData("ServiceBusSdk", "ServiceBus")]
    [InlineData("servicebussdk", "servicebus")]
    [InlineData("RabbitMq", "RabbitMq")]
    public void A_broker_by_its_makers_client_is_of_the_same_kind(string broker, string kind)
    {
        var options = new WorkerOptions { Broker = broker };

        Assert.Equal(kind, options.Kind);
        Assert.True(options.Uses(kind.ToUpperInvariant()));
    }

    [Fact]
    public void A_makers_client_that_this_build_does_not_have_is_unknown()
    {
        var mistake = Assert.Single(Reading.Mistakes("Worker__Broker=RabbitMqSdk", "ConnectionStrings__RabbitMq=amqp://host/"));

        Assert.StartsWith("Worker__Broker: RabbitMqSdk is unknown; set InMemory, ", mistake, StringComparison.Ordinal);
    }
}
