using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>Messages that no handler can handle.</summary>
public sealed class PoisonTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public PoisonTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task A_poisonous_message_is_tried_so_often_and_put_aside_with_its_story_while_the_others_go_on(QueueType type)
    {
        var queue = _vhost.NewQueue();
        var deliveries = new List<int>();
        await using var broker = _vhost.NewBroker(type);
        await broker.SendAsync(queue, ["poison", .. Port.Names(20)]);
        await using var consuming = await Consuming.StartAsync(
            broker,
            queue,
            (message, _) =>
            {
                if (message.Id != "poison")
                    return new(Settlement.Complete);
                lock (deliveries)
                    deliveries.Add(message.DeliveryCount);
                throw new InvalidOperationException("No such article.");
            },
            options => (options.Retry.Immediate, options.Retry.MaxDeliveries, options.Retry.Delay) = (0, 3, TimeSpan.FromMilliseconds(200)));

        await consuming.HandledAsync(20);
        await Eventually.HoldsAsync("the poison to be put aside", () => consuming.Queue.DeadLettered == 1);
        Assert.Equal([1, 2, 3], deliveries);
        Assert.Equal((20, 2, 0), (consuming.Queue.Completed, consuming.Queue.Delayed, consuming.Queue.Misses));

        await using var dead = await broker.OpenReceiverAsync(queue + ".dead", default);
        var letter = await dead.TakeAsync();
        var story = letter.Message.Properties;
        Assert.Equal("poison", letter.Message.Id);
        Assert.Equal(("handler_failed", queue), (story[DeadLetterProperties.Reason], story[DeadLetterProperties.Queue]));
        Assert.Contains("InvalidOperationException: No such article.", (string?)story[DeadLetterProperties.Description]);
        Assert.Contains("delivery 3 of 3", (string?)story[DeadLetterProperties.Description]);
        await dead.CompleteAsync(letter);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }
}
