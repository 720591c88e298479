using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>Messages of strangers that the client can read, and not write again as they are.</summary>
public sealed class UnfitTests : IClassFixture<VirtualHost>
{
    // What was sent with so much fits its frame. With what a copy says beside it, it does not; nor, of the second, once the server has noted that it waited.
    private const int JustFits = 130_950;
    private const int FitsToWait = 130_500;

    private static readonly byte[] s_strange = [.. Enumerable.Repeat((byte)0xFF, 255)];

    private readonly VirtualHost _vhost;

    public UnfitTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task What_can_not_be_sent_on_as_it_is_ends_among_the_dead_letters_and_holds_up_nobody(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await broker.SendAsync(queue, Port.Names(20));
        await PublishAsync(
            queue,
            RawEnvelope.Named(s_strange),
            new RawEnvelope(s_strange, RawEnvelope.Text(1)),
            new RawEnvelope("large", RawEnvelope.Text(JustFits)),
            new RawEnvelope("large", RawEnvelope.Text(FitsToWait)));
        await using var consuming = await Consuming.StartAsync(
            broker,
            queue,
            (message, _) => message.Id.Length == 3 ? new(Settlement.Complete) : throw new InvalidOperationException("No such article."),
            options => (options.Retry.Immediate, options.Retry.MaxDeliveries, options.Retry.Delay) = (0, 2, TimeSpan.FromMilliseconds(200)));

        await consuming.HandledAsync(20);
        await Eventually.HoldsAsync("all strangers to be put aside", async () => await _vhost.WaitingAsync($"{queue}.dead") == 4);
        Assert.Equal((20, 2, 0), (consuming.Queue.Completed, consuming.Queue.DeadLettered, consuming.Queue.Misses));

        await using var dead = await broker.OpenReceiverAsync($"{queue}.dead", default);
        var letters = new List<(string? Reason, string? LeftOut, bool IsLarge)>();
        for (var i = 0; i < 4; i++)
        {
            var letter = await dead.TakeAsync();
            letters.Add((letter.Message.Properties[DeadLetterProperties.Reason] as string, letter.Message.Properties.GetValueOrDefault("holdfast-left-out") as string, letter.Message.Properties.ContainsKey("large")));
            await dead.CompleteAsync(letter);
        }

        Assert.Contains(("handler_failed", null, false), letters);
        Assert.Contains(("not_fit_to_wait", "large", false), letters);
        Assert.Contains(("not_fit_to_wait", ShortText.Fit(new string('\ufffd', 255)), false), letters);
        var (reason, leftOut, _) = Assert.Single(letters, letter => letter.IsLarge);
        Assert.Equal("handler_failed", reason);
        Assert.StartsWith("x-death", leftOut);
        await _vhost.NothingIsLeftAsync(queue, consuming);
    }

    [Fact]
    public async Task A_count_of_deliveries_that_its_sender_made_up_keeps_no_poisonous_message_in_a_classic_queue()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await (await broker.OpenReceiverAsync(queue, default)).DisposeAsync();
        await PublishAsync(queue, new BasicProperties { MessageId = "poison", Headers = new Dictionary<string, object?> { ["x-delivery-count"] = 1L } });

        await using var consuming = await Consuming.StartAsync(broker, queue, (_, _) => new(Settlement.Abandon), options => options.Retry.MaxDeliveries = 5);

        await Eventually.HoldsAsync("the poison to be put aside", () => consuming.Queue.DeadLettered == 1);
    }

    private async Task PublishAsync<T>(string queue, params T[] envelopes)
        where T : IReadOnlyBasicProperties, IAmqpHeader
    {
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        foreach (var envelope in envelopes)
            await channel.BasicPublishAsync("", queue, mandatory: true, envelope, new byte[] { 1 });

        // Confirmed they would have headers of the client's own; what is asked after them is answered when they are there.
        await channel.QueueDeclarePassiveAsync(queue);
    }
}
