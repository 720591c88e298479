using System.Security.Cryptography;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>Messages as others send them, large and strange.</summary>
public sealed class MessageTests : IClassFixture<VirtualHost>
{
    private static readonly AmqpTimestamp s_moment = new(1_700_000_000);

    private readonly VirtualHost _vhost;

    public MessageTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task A_body_of_sixteen_megabytes_arrives_whole_waits_and_is_put_aside_whole(QueueType type)
    {
        var (queue, body) = (_vhost.NewQueue(), RandomNumberGenerator.GetBytes(16 << 20));
        await using var broker = _vhost.NewBroker(type);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await using var dead = await broker.OpenReceiverAsync(queue + ".dead", default);

        await sender.SendAsync(new Message { Id = "large", Body = body }, TimeSpan.Zero, default);
        var first = await receiver.TakeAsync();
        await receiver.SettleAsync(first, Settlement.Delay(TimeSpan.FromMilliseconds(10)), default);
        var second = await receiver.TakeAsync();
        await receiver.SettleAsync(second, Settlement.DeadLetter("TooLarge", "More than anybody reads."), default);
        var third = await dead.TakeAsync();

        Assert.All(new[] { first, second, third }, delivery => Assert.True(delivery.Message.Body.Span.SequenceEqual(body)));
        await dead.CompleteAsync(third);
    }

    [Fact]
    public async Task One_larger_than_the_client_takes_by_itself_arrives_too()
    {
        var (queue, body) = (_vhost.NewQueue(), new byte[65 << 20]);
        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);

        await sender.SendAsync(new Message { Id = "larger", Body = body }, TimeSpan.Zero, default);

        Assert.Equal(body.Length, (await receiver.TakeAsync()).Message.Body.Length);
    }

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task The_longest_life_that_a_message_may_have_is_one_that_the_server_takes(QueueType type)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker(type);
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);

        await sender.SendAsync(new Message { Id = "lasts", TimeToLive = TimeSpan.FromDays(3_650) }, TimeSpan.Zero, default);

        Assert.Equal("lasts", (await receiver.TakeAsync()).Message.Id);
    }

    [Theory]
    [InlineData("score", double.NaN)]
    [InlineData("score", float.NegativeInfinity)]
    [InlineData("CC", "others")]
    [InlineData("BCC", null)]
    public async Task A_property_that_the_server_would_end_the_connection_or_the_channel_for_is_refused_and_all_others_arrive(string name, object? value)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(queue, default);

        var others = Port.Names(100).Select(id => sender.SendAsync(id)).ToArray();
        var refused = await Record.ExceptionAsync(() => sender.SendAsync(new Message { Id = "odd", Properties = new Dictionary<string, object?> { [name] = value } }));
        await Task.WhenAll(others.Concat(Port.Names(100).Select(id => sender.SendAsync(id))));

        Assert.False(Assert.IsType<BrokerException>(refused).IsTransient);
        Assert.Contains(name, refused.Message);
        Assert.Equal(200u, await _vhost.WaitingAsync(queue));
    }

    [Fact]
    public async Task A_header_of_every_kind_arrives_as_it_is()
    {
        var arrived = await ArriveAsync(EveryKind());

        foreach (var (name, value) in Read())
            Assert.Equal(value, arrived.Message.Properties[name]);
    }

    [Fact]
    public async Task A_header_of_every_kind_is_kept_when_a_message_waits_and_when_it_is_put_aside()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await PublishAsync(queue, EveryKind());

        await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.Delay(TimeSpan.FromMilliseconds(10)), default);
        await receiver.SettleAsync(await receiver.TakeAsync(), Settlement.DeadLetter("Odd", "Has too many headers."), default);
        await Eventually.HoldsAsync("the message to be put aside", async () => await _vhost.QueueAsync(queue + ".dead") is { MessagesReady: 1 });

        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        var letter = await channel.BasicGetAsync(queue + ".dead", autoAck: true);
        foreach (var (name, value) in EveryKind())
            Assert.Equal(value is string text ? System.Text.Encoding.UTF8.GetBytes(text) : value, letter!.BasicProperties.Headers![name]);
    }

    [Fact]
    public async Task A_message_that_its_sender_has_not_named_can_be_handled_like_any_other()
    {
        var arrived = await ArriveAsync(new Dictionary<string, object?>());

        Assert.NotEmpty(arrived.Message.Id);
        Assert.Equal(1, arrived.DeliveryCount);
    }

    private static Dictionary<string, object?> EveryKind() => new()
    {
        ["bool"] = true,
        ["byte"] = byte.MaxValue,
        ["sbyte"] = sbyte.MinValue,
        ["short"] = short.MinValue,
        ["ushort"] = ushort.MaxValue,
        ["int"] = int.MinValue,
        ["uint"] = uint.MaxValue,
        ["long"] = long.MinValue,
        ["float"] = 1.5f,
        ["double"] = Math.PI,
        ["decimal"] = 12.34m,
        ["text"] = "grün",
        ["time"] = s_moment,
        ["nothing"] = null,
    };

    private static Dictionary<string, object?> Read() => new(EveryKind()) { ["time"] = DateTimeOffset.FromUnixTimeSeconds(s_moment.UnixTime) };

    private async Task<Delivery> ArriveAsync(Dictionary<string, object?> headers)
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await PublishAsync(queue, headers);

        var arrived = await receiver.TakeAsync();
        await receiver.CompleteAsync(arrived);
        return arrived;
    }

    private async Task PublishAsync(string queue, Dictionary<string, object?> headers)
    {
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.BasicPublishAsync("", queue, mandatory: true, new BasicProperties { Headers = headers, Persistent = true }, ReadOnlyMemory<byte>.Empty);
        await channel.CloseAsync();
    }
}
