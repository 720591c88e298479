using System.Text;
using Azure.Core;
using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Kit.Amqp;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>What travels, between which kinds of entities, and over what.</summary>
public sealed class MessageTests
{
    // A section that holds a value.
    private static readonly byte[] s_deepBody = [0x00, 0x53, 0x77, .. NestedLists.Of(40)];

    // A map of 368 bytes, with the one key "k"; and one that has its key twice.
    private static readonly byte[] s_deepProperties = [0x00, 0x53, 0x74, 0xd1, 0, 0, 1, 0x70, 0, 0, 0, 2, 0xa1, 1, 0x6b, .. NestedLists.Of(40)];
    private static readonly byte[] s_wrongFooter = [0x00, 0x53, 0x78, 0xc1, 9, 4, 0xa3, 1, 0x66, 0x41, 0xa3, 1, 0x66, 0x42];

    [Fact]
    public async Task A_message_of_a_megabyte_arrives_whole()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { MaxMessageBytes = 2 * 1024 * 1024 });
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var body = new byte[1024 * 1024];
        new Random(1).NextBytes(body);

        await sender.SendAsync(new Message { Id = "large", Body = body }, TimeSpan.Zero, default);
        var delivery = await receiver.TakeAsync();

        Assert.Equal(body, delivery.Message.Body.ToArray());
        await receiver.CompleteAsync(delivery);
    }

    [Fact]
    public async Task A_message_that_is_too_large_is_refused_alone_and_the_sender_goes_on()
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { MaxMessageBytes = 4096 });
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);

        var sends = Enumerable.Range(0, 20).Select(n => sender.SendAsync(new Message { Id = $"{n}", Body = new byte[n == 7 ? 8192 : 100] }, TimeSpan.Zero, default).AsTask()).ToArray();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sends[7]);
        Assert.False(problem.IsTransient);
        await Task.WhenAll(sends.Where((_, n) => n != 7));
        Assert.Equal(19, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Active);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_that_nobody_can_read_is_put_aside_by_itself_and_can_be_looked_at_and_sent_again(bool sessions)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), RequiresSession = sessions });
        await using var broker = server.NewBroker(sessions);
        await using var outbox = await broker.OpenOutboxAsync(PrivateNamespace.Queue, default);
        var original = new AmqpMessage { Properties = new() { MessageId = "strange", GroupId = "s" }, Body = new UnreadBody(s_deepBody, "deep") };
        await outbox.SendAsync(original, default);
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = "plain", GroupId = "s" }, Body = new DataBody("x"u8.ToArray()) }, default);

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, (_, _) => ValueTask.FromResult(Broker.Settlement.Complete)))
        {
            await consuming.DoneAsync(1);
            Assert.Equal(new QueueCounts(Active: 0, Locked: 0, Deferred: 0, Scheduled: 0, DeadLettered: 1), await server.Control.CountsAsync(PrivateNamespace.Queue));
            Assert.Equal(["plain"], consuming.Handled);
            Assert.Equal(0, consuming.Queue.Misses);
        }

        var (letter, again) = await SentAgainAsync(server);
        Assert.Equal(("strange", "unreadable"), (letter.Message.Id, letter.Reason));
        Assert.Contains("deep within one another", letter.Unreadable, StringComparison.Ordinal);
        Assert.Equal(s_deepBody, Assert.IsType<UnreadBody>(again.Body).Encoded.ToArray());
    }

    [Fact]
    public async Task Properties_that_nobody_can_read_are_put_aside_by_themselves_and_a_footer_keeps_nobody_from_its_message()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await using var outbox = await broker.OpenOutboxAsync(PrivateNamespace.Queue, default);
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = "strange" }, ApplicationProperties = new UnreadProperties(s_deepProperties, "deep"), Body = new DataBody("x"u8.ToArray()) }, default);
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = "signed" }, Body = new DataBody("x"u8.ToArray()), Footer = new UnreadFields(s_wrongFooter, "twice") }, default);
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = "plain" }, Body = new DataBody("x"u8.ToArray()) }, default);
        Assert.Equal(3, (await broker.Node(PrivateNamespace.Queue).PeekAsync(0, 10, default)).Count);

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, (_, _) => ValueTask.FromResult(Broker.Settlement.Complete)))
        {
            await consuming.DoneAsync(2);
            Assert.Equal(["plain", "signed"], consuming.Handled.Order());
            Assert.Equal(0, consuming.Queue.Misses);
        }

        var (letter, again) = await SentAgainAsync(server);
        Assert.Equal(("strange", "unreadable"), (letter.Message.Id, letter.Reason));
        Assert.StartsWith("Its properties can't be read: Values more than 32 deep", letter.Unreadable, StringComparison.Ordinal);
        Assert.IsType<UnreadProperties>(again.ApplicationProperties);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Annotations_that_nobody_can_read_are_nobody_s_business_and_an_id_puts_its_message_aside_by_itself(bool sessions)
    {
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { RequiresSession = sessions });
        await using var broker = server.NewBroker(sessions);
        await using var outbox = await broker.OpenOutboxAsync(PrivateNamespace.Queue, default);
        var deep = new UnreadValue(NestedLists.Of(40));
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = deep, GroupId = "s", Subject = "strange" }, Body = new DataBody("x"u8.ToArray()) }, default);
        await outbox.SendAsync(new AmqpMessage { MessageAnnotations = new() { ["mine"] = deep }, Properties = new() { MessageId = "noted", GroupId = "s" }, Body = new DataBody("x"u8.ToArray()) }, default);
        await outbox.SendAsync(new AmqpMessage { Properties = new() { MessageId = "plain", GroupId = "s" }, Body = new DataBody("x"u8.ToArray()) }, default);
        Assert.Equal(3, (await broker.Node(PrivateNamespace.Queue).PeekAsync(0, 10, default)).Count);

        await using (var consuming = await Consuming.StartAsync(broker, PrivateNamespace.Queue, (message, _) => ValueTask.FromResult(message.DeliveryCount == 1 ? Broker.Settlement.Complete : throw new InvalidOperationException("It came twice."))))
        {
            await consuming.DoneAsync(2);
            Assert.Equal(["noted", "plain"], consuming.Handled.Order());
            Assert.Equal(0, consuming.Queue.Misses);
        }

        var (letter, again) = await SentAgainAsync(server);
        Assert.Equal(("strange", "unreadable"), (letter.Message.Subject, letter.Reason));
        Assert.StartsWith("Its properties can't be read: Values more than 32 deep", letter.Unreadable, StringComparison.Ordinal);
        Assert.Equal(("strange", "s"), (again.Properties!.Subject, again.Properties.GroupId));
        Assert.StartsWith("holdfast-replay-", Assert.IsType<string>(again.Properties.MessageId), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_sent_at_once_travels_together()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await using var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);

        await Task.WhenAll(Enumerable.Range(0, 1000).Select(n => sender.SendAsync(new Message { Id = $"{n}", Body = new byte[10] }, TimeSpan.Zero, default).AsTask()));

        Assert.Equal(1000, (await server.Control.CountsAsync(PrivateNamespace.Queue)).Active);
        Assert.InRange((await server.Control.StatsAsync()).Of("send-transfers"), 1, 100);
    }

    [Fact]
    public async Task Nothing_can_be_sent_to_dead_letters()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenSenderAsync("orders/$DeadLetterQueue", default).AsTask());

        Assert.False(problem.IsTransient);
    }

    [Fact]
    public async Task What_is_given_back_may_say_why_in_its_properties()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        await using var receiver = (ServiceBusReceiver)await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await broker.SendAsync(PrivateNamespace.Queue, "1");

        Assert.True(await receiver.Settler.AbandonAsync((ServiceBusDelivery)await receiver.TakeAsync(), new Dictionary<string, object?> { ["why"] = "not now" }, default));

        Assert.Equal("not now", (await receiver.TakeAsync()).Message.Properties["why"]);
    }

    [Fact]
    public async Task One_can_look_without_taking_and_call_off_what_is_scheduled()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker();
        var node = broker.Node(PrivateNamespace.Queue);
        Assert.Empty(await node.PeekAsync(0, 10, default));
        await broker.SendAsync(PrivateNamespace.Queue, "1", "2");
        var later = new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-scheduled-enqueue-time"] = AmqpTimestamp.From(DateTimeOffset.UtcNow.AddHours(1)) },
            Properties = new() { MessageId = "later" },
            Body = new DataBody(Encoding.UTF8.GetBytes("x")),
        };

        var (number, _) = await node.ScheduleAsync(later, default);
        var seen = await node.PeekAsync(0, 10, default);
        await node.CancelAsync(number);

        Assert.Equal(["1", "2", "later"], seen.Select(message => message.Properties!.MessageId));
        Assert.Equal(["1", "2"], (await node.PeekAsync(0, 10, default)).Select(message => message.Properties!.MessageId));
    }

    [Theory]
    [InlineData("Amqp")]
    [InlineData("Tls")]
    [InlineData("SecureWebSocket")]
    public async Task It_travels_over_every_transport(string transport)
    {
        await using var server = await PrivateNamespace.StartAsync(options: new ServiceBusServerOptions { Tls = transport != "Amqp", WebSockets = transport == "SecureWebSocket" });
        var port = transport switch { "Amqp" => server.Server.Port, "Tls" => server.Server.TlsPort, _ => server.Server.SecureWebSocketPort };
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            ConnectionString = $"Endpoint=sb://localhost:{port};SharedAccessKeyName={ServiceBusServer.KeyName};SharedAccessKey={server.Server.Key};UseDevelopmentEmulator={transport == "Amqp"}",
            Transport = transport == "SecureWebSocket" ? ServiceBusTransport.WebSockets : ServiceBusTransport.Tcp,
            CaFile = server.Server.Certificates?.CaFile,
        });
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);

        await broker.SendAsync(PrivateNamespace.Queue, "1");

        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Fact]
    public async Task A_certificate_that_nobody_vouches_for_is_told_with_its_cure()
    {
        await using var server = await PrivateNamespace.StartAsync(options: new ServiceBusServerOptions { Tls = true });
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            ConnectionString = $"Endpoint=sb://localhost:{server.Server.TlsPort};SharedAccessKeyName={ServiceBusServer.KeyName};SharedAccessKey={server.Server.Key}",
        });

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask());

        Assert.False(problem.IsTransient);
        Assert.Contains("Worker__ServiceBus__CaFile", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("let in", true)]
    [InlineData("not let in", false)]
    public async Task An_identity_shows_its_token(string token, bool isLetIn)
    {
        await using var server = await PrivateNamespace.StartAsync(options: new ServiceBusServerOptions { Tls = true, BearerToken = "let in" });
        await using var broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            FullyQualifiedNamespace = $"localhost:{server.Server.TlsPort}",
            Credential = DelegatedTokenCredential.Create((_, _) => new AccessToken(token, DateTimeOffset.UtcNow.AddHours(1))),
            CaFile = server.Server.Certificates!.CaFile,
        });

        if (isLetIn)
        {
            await broker.SendAsync(PrivateNamespace.Queue, "1");
            return;
        }

        var problem = await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask());
        Assert.False(problem.IsTransient);
        Assert.Contains("Azure Service Bus Data Receiver", problem.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(token, problem.Message, StringComparison.Ordinal);
    }

    /// <summary>Looks at the one dead letter, sends it back to its queue, and looks at it there.</summary>
    private static async Task<(Broker.QueuedMessage Letter, AmqpMessage Again)> SentAgainAsync(PrivateNamespace server)
    {
        await using var desk = new ServiceBusDesk(new ServiceBusBrokerOptions { ConnectionString = server.Server.ConnectionString() });
        var dead = desk.DeadLettersOf(PrivateNamespace.Queue);
        var letter = Assert.Single(await desk.LookAsync(dead, null, default).ToListAsync());
        await using (var sweep = await desk.SweepAsync(dead, PrivateNamespace.Queue, message => message.Id, rate: null, most: null, default))
        {
            await sweep.TakeAsync((await sweep.NextAsync(default))!, default);
            await sweep.CommitAsync(default);
        }

        await using var broker = server.NewBroker();
        return (letter, Assert.Single(await broker.Node(PrivateNamespace.Queue).PeekAsync(0, 10, default)));
    }
}
