namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>What any client of Service Bus does with the subscriptions of a topic.</summary>
public abstract class SubscriptionContract
{
    private protected const string Topic = "events";

    [Fact]
    public async Task Each_subscription_of_a_topic_gets_every_message_and_its_dead_letters_are_its_own()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await server.Control.PutTopicAsync(Topic);
        await server.Control.PutSubscriptionAsync(Topic, "mail");
        await server.Control.PutSubscriptionAsync(Topic, "audit");
        await using var broker = NewBroker(server);
        await using var mail = await broker.OpenReceiverAsync("events/Subscriptions/mail", default);
        await using var audit = await broker.OpenReceiverAsync("events/Subscriptions/audit", default);
        await broker.SendAsync(Topic, "1");

        Assert.True(await mail.SettleAsync(await mail.TakeAsync(), Settlement.DeadLetter("NoMail", "Nobody reads it."), default));
        await audit.CompleteAsync(await audit.TakeAsync());

        await using var dead = await broker.OpenReceiverAsync("events/Subscriptions/mail/$DeadLetterQueue", default);
        var letter = await dead.TakeAsync();
        Assert.Equal("1", letter.Message.Id);
        Assert.Equal("NoMail", letter.Message.Properties["DeadLetterReason"]);
        await dead.CompleteAsync(letter);
    }

    [Fact]
    public async Task A_failure_on_a_subscription_can_only_be_given_back_at_once()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await server.Control.PutTopicAsync(Topic);
        await server.Control.PutSubscriptionAsync(Topic, "mail");
        await using var broker = NewBroker(server);
        await using var mail = await broker.OpenReceiverAsync("events/Subscriptions/mail", default);
        await broker.SendAsync(Topic, "1");

        Assert.True(await mail.SettleAsync(await mail.TakeAsync(), Settlement.Delay(TimeSpan.FromMinutes(1)), default));

        Assert.Equal(2, (await mail.TakeAsync()).DeliveryCount);
    }

    private protected abstract IBroker NewBroker(PrivateNamespace server);
}
