using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class ReplayTargetTests
{
    [Theory]
    [InlineData("events/Subscriptions/mail", "Nothing can be sent to 'events/Subscriptions/mail': send to its topic, --to events, and all of the topic's subscriptions will get it.")]
    [InlineData("shop/events/subscriptions/mail/$DeadLetterQueue", "Nothing can be sent to 'shop/events/subscriptions/mail/$DeadLetterQueue': send to its topic, --to shop/events, and all of the topic's subscriptions will get it.")]
    [InlineData("orders/$DeadLetterQueue", "Nothing can be sent to 'orders/$DeadLetterQueue': send to the queue that it belongs to, --to orders.")]
    [InlineData("orders/$Transfer/$DeadLetterQueue", "Nothing can be sent to 'orders/$Transfer/$DeadLetterQueue': send to the queue that it belongs to, --to orders.")]
    public async Task A_name_that_nothing_can_be_sent_to_is_refused_with_the_one_to_send_to(string target, string told)
    {
        await using var desk = NewDesk();

        Assert.Equal(told, Assert.Throws<BrokerException>(() => desk.ThrowIfNoTarget(target)).Message);
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("shop/events")]
    public async Task Of_a_queue_or_topic_the_broker_alone_knows_more(string target)
    {
        await using var desk = NewDesk();

        desk.ThrowIfNoTarget(target);
    }

    [Fact]
    public async Task With_the_key_of_one_entity_there_is_no_other_target()
    {
        await using var desk = NewDesk(";EntityPath=orders");

        desk.ThrowIfNoTarget("orders");
        Assert.Contains("EntityPath", Assert.Throws<BrokerException>(() => desk.ThrowIfNoTarget("again")).Message, StringComparison.Ordinal);
    }

    // Nobody is there to connect to, and nobody is needed.
    private static ServiceBusDesk NewDesk(string more = "") => new(new ServiceBusBrokerOptions
    {
        ConnectionString = $"Endpoint=sb://one.servicebus.windows.net;SharedAccessKeyName=me;SharedAccessKey=secret{more}",
    });
}
