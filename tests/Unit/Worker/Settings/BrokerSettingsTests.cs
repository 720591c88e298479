using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class BrokerSettingsTests
{
    [Theory]
    [InlineData("ConnectionStrings__RabbitMq=amqp://host/", "ConnectionStrings__RabbitMq", "RabbitMq")]
    [InlineData("ConnectionStrings__ServiceBus=Endpoint=sb://name/;SharedAccessKeyName=a;SharedAccessKey=b", "ConnectionStrings__ServiceBus", "ServiceBus")]
    [InlineData("ServiceBus__FullyQualifiedNamespace=name.servicebus.windows.net", "ServiceBus__FullyQualifiedNamespace", "ServiceBus")]
    public void Who_says_where_a_broker_is_must_say_that_it_is_meant(string address, string setting, string broker)
    {
        Assert.Equal(
            [$"Worker__Broker: It is not set, and InMemory, which it is by default, would leave {setting} unread; set {broker}, or InMemory if that is meant."],
            Mistakes(address));
        Assert.Single(Mistakes(address, "Worker__Broker="));
        Assert.Equal("InMemory", Read(address, "Worker__Broker=InMemory").Broker);
    }

    [Fact]
    public void An_address_that_is_empty_names_no_broker() => Assert.Equal("InMemory", Read("ConnectionStrings__RabbitMq=", "ConnectionStrings__ServiceBus=", "ServiceBus__FullyQualifiedNamespace=").Broker);

    [Theory]
    [InlineData("amqp://me:secret@host/")]
    [InlineData("Endpoint=sb://name/;SharedAccessKeyName=a;SharedAccessKey=secret")]
    public void An_address_in_place_of_a_broker_is_not_shown(string address) =>
        Assert.Equal(
            ["Worker__Broker: It is an address; set InMemory, RabbitMq or ServiceBus, and the address in ConnectionStrings__RabbitMq or ConnectionStrings__ServiceBus."],
            Mistakes($"Worker__Broker={address}", "ConnectionStrings__RabbitMq=amqp://host/"));
}
