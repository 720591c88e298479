using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class HandlerSettingsTests
{
    private static readonly string[] s_rabbit = ["Worker__Broker=RabbitMq", "ConnectionStrings__RabbitMq=amqp://host/"];

    [Theory]
    [InlineData("Worker__Broker=RabbitMq", "ConnectionStrings__RabbitMq=amqp://host/")]
    [InlineData("Worker__Broker=ServiceBus", "ServiceBus__FullyQualifiedNamespace=name.servicebus.windows.net")]
    public void Who_handles_the_messages_of_a_real_queue_must_be_said(params string[] broker)
    {
        Assert.Equal(
            "Worker__Handler: It is not set, and Demo, which it is by default, would complete the messages of 'orders' without doing anything; set Http or Exec, or Demo if that is meant.",
            Assert.Single(Mistakes(broker)));
        Assert.Equal("Demo", Read([.. broker, "Worker__Handler=Demo"]).Handlers);
    }

    [Fact]
    public void The_embedded_broker_is_there_to_be_tried_with_the_demo() => Assert.Equal("Demo", Read("Worker__Broker=InMemory").Handlers);

    [Fact]
    public void Of_several_queues_each_must_have_it_said_for_it_or_for_all()
    {
        string[] two = [.. s_rabbit, "Worker__Queues__parcels__Handler=Demo", "Worker__Queues__letters__MaxConcurrency=1"];

        Assert.Contains("would complete the messages of 'letters'", Assert.Single(Mistakes(two)));
        Assert.Equal(2, Read([.. two, "Worker__Handler=Demo"]).Queues.Count);
    }
}
