using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class EntityNameTests
{
    [Theory]
    [InlineData("orders", "orders", true)]
    [InlineData("/orders/", "orders", true)]
    [InlineData("shop/orders", "shop/orders", true)]
    [InlineData("orders/$DeadLetterQueue", "orders/$DeadLetterQueue", false)]
    [InlineData("orders/$deadletterqueue", "orders/$deadletterqueue", false)]
    [InlineData("orders/$Transfer/$DeadLetterQueue", "orders/$Transfer/$DeadLetterQueue", false)]
    [InlineData("events/Subscriptions/mail", "events/Subscriptions/mail", false)]
    [InlineData("shop/events/subscriptions/mail", "shop/events/subscriptions/mail", false)]
    [InlineData("events/Subscriptions/mail/$DeadLetterQueue", "events/Subscriptions/mail/$DeadLetterQueue", false)]
    public void Queues_subscriptions_and_their_dead_letters_have_names(string name, string path, bool canBeSentTo)
    {
        var entity = EntityName.Parse(name);

        Assert.Equal((path, path + "/$management", canBeSentTo), (entity.Path, entity.Management, entity.CanBeSentTo));
    }

    [Theory]
    [InlineData("")]
    [InlineData("/")]
    [InlineData("a//b")]
    [InlineData("a?b")]
    [InlineData("sb://one/orders")]
    [InlineData("$DeadLetterQueue")]
    [InlineData("orders/$management")]
    [InlineData("events/Subscriptions")]
    [InlineData("Subscriptions/mail")]
    public void Anything_else_is_refused_with_the_setting_that_cures_it(string name)
    {
        var problem = Assert.Throws<BrokerException>(() => EntityName.Parse(name));

        Assert.False(problem.IsTransient);
        Assert.Contains("Worker__Queue", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("orders", "ORDERS", true)]
    [InlineData("orders/$DeadLetterQueue", "orders", true)]
    [InlineData("events/Subscriptions/mail", "events", true)]
    [InlineData("orders2", "orders", false)]
    [InlineData("orders", "orders/x", false)]
    public void Credentials_of_an_entity_are_good_for_what_belongs_to_it(string name, string entityPath, bool isWithin) =>
        Assert.Equal(isWithin, EntityName.Parse(name).IsWithin(entityPath));
}
