using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>What a server refuses, and what the person on call is told: one line, with the names that matter and without the password.</summary>
public sealed class RefusalTests : IClassFixture<VirtualHost>
{
    private const string Secret = "s3cret-of-nobody";

    private readonly VirtualHost _vhost;

    public RefusalTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    private string Host => $"{new Uri(_vhost.Uri).Host}:{new Uri(_vhost.Uri).Port}";

    [Fact]
    public async Task A_wrong_password_is_told_with_user_and_host_and_no_new_try_can_heal_it()
    {
        var uri = new UriBuilder(_vhost.Uri) { UserName = "somebody", Password = Secret }.Uri.AbsoluteUri;

        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = uri, Declare = true }, _vhost.NewQueue());

        Tells(problem, isTransient: false, "'somebody'", Host, "ConnectionStrings__RabbitMq");
    }

    [Fact]
    public async Task A_wrong_virtual_host_is_told_with_its_name()
    {
        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = _vhost.Server.UriOf("nowhere"), Declare = true }, _vhost.NewQueue());

        Tells(problem, isTransient: false, "'nowhere'", Host, "ConnectionStrings__RabbitMq");
    }

    [Fact]
    public async Task A_missing_queue_is_told_with_its_name_and_the_setting_that_declares_it()
    {
        var queue = _vhost.NewQueue();

        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = _vhost.Uri }, queue);

        Tells(problem, isTransient: false, $"'{queue}", Host, "Declare");
    }

    [Fact]
    public async Task A_queue_that_differs_from_what_was_asked_for_is_told_with_the_difference()
    {
        var queue = _vhost.NewQueue();
        await using (var other = _vhost.NewBroker(QueueType.Classic))
            await other.SendAsync(queue);

        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = _vhost.Uri, Declare = true, QueueType = QueueType.Quorum }, queue);

        Tells(problem, isTransient: false, queue, Host, "QueueType");
    }

    [Fact]
    public async Task A_queue_that_others_made_is_taken_as_it_is_where_nothing_is_declared()
    {
        var queue = _vhost.NewQueue();
        await using (var other = _vhost.NewBroker(QueueType.Classic))
            await other.SendAsync(queue, "a");

        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri });
        await using var receiver = await broker.OpenReceiverAsync(queue, default);

        Assert.Equal("a", (await receiver.TakeAsync()).Message.Id);
    }

    [Fact]
    public async Task A_sender_whose_queue_was_full_is_heard_again_once_its_limit_is_taken_away()
    {
        var queue = _vhost.NewQueue();
        await using var broker = _vhost.NewBroker();
        await using var sender = await broker.OpenSenderAsync(queue, default);
        await _vhost.LimitAsync(queue, 1);
        await Eventually.HoldsAsync("the queue to be full", async () => await Record.ExceptionAsync(() => sender.SendAsync("a")) is BrokerException { IsTransient: true });

        await _vhost.UnlimitAsync();

        await Eventually.SucceedsAsync("the sender to be heard", () => sender.SendAsync("b"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_queue_that_others_made_is_sent_to_as_it_is_without_a_dead_letter_queue_of_ours(bool declare)
    {
        var queue = _vhost.NewQueue();
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false);
        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = _vhost.Uri, Declare = declare });

        await broker.SendAsync(queue, "a");

        Assert.Equal(1u, await _vhost.WaitingAsync(queue));
        Assert.Null(await _vhost.QueueAsync(queue + ".dead"));
    }

    [Fact]
    public async Task A_queue_that_somebody_uses_alone_is_worth_a_new_try()
    {
        var queue = _vhost.NewQueue();
        await using (var other = _vhost.NewBroker(QueueType.Classic))
            await other.SendAsync(queue, "a");
        await using var connection = await _vhost.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.BasicConsumeAsync(queue, autoAck: false, "", noLocal: false, exclusive: true, null, new RabbitMQ.Client.Events.AsyncEventingBasicConsumer(channel));

        await using var broker = _vhost.NewBroker(QueueType.Classic);
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        var problem = await Assert.ThrowsAsync<BrokerException>(() => receiver.ReceiveAsync(new Delivery[1], default).AsTask());
        await channel.CloseAsync();

        Tells(problem, isTransient: true, $"'{queue}'", Host);
        Assert.Equal("a", (await receiver.TakeAsync()).Message.Id);
    }

    private static async Task<BrokerException> RefusedAsync(RabbitMqBrokerOptions options, string queue)
    {
        await using var broker = new RabbitMqBroker(options);
        return await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(queue, default).AsTask());
    }

    private static void Tells(BrokerException problem, bool isTransient, params string[] names)
    {
        Assert.All(names, name => Assert.Contains(name, problem.Message));
        Assert.DoesNotContain("\n", problem.Message);
        Assert.DoesNotContain(Secret, problem.ToString());
        Assert.Equal(isTransient, problem.IsTransient);
    }
}
