using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>What must work with every AMQP 1.0 peer, whoever wrote it.</summary>
public abstract class Interoperation
{
    [Fact]
    public async Task A_message_is_sent_and_received_and_both_settle_it()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        Assert.IsType<Accepted>(await sender.SendAsync("hello"u8.ToArray()));

        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, Mode);
        var delivery = await inbox.TakeAsync();
        Assert.Equal("hello"u8.ToArray(), Inbox.Body(delivery));
        Assert.IsType<Accepted>(await inbox.SettleAsync(delivery, Accepted.Instance));
        Assert.True(delivery.IsSettled);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task All_that_a_message_says_of_itself_comes_back()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        using var writer = new AmqpWriter();
        var sent = new AmqpMessage
        {
            Properties = new MessageProperties { MessageId = "one", Subject = "grüße", GroupId = "g", ContentType = "text/plain", CorrelationId = "two" },
            ApplicationProperties = new ApplicationProperties { ["text"] = "värde", ["flag"] = true, ["number"] = 42, ["far"] = -3_000_000_000L },
            Body = new DataBody("body"u8.ToArray()),
        };
        sent.Encode(writer);
        Assert.IsType<Accepted>(await sender.SendEncodedAsync(writer.ToArray()));

        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, Mode);
        var message = AmqpMessage.Decode((await inbox.TakeAsync()).Payload);
        Assert.Equal(("one", "grüße", "g"), (message.Properties!.MessageId, message.Properties.Subject, message.Properties.GroupId));
        Assert.Equal(("text/plain", "two"), (message.Properties.ContentType?.Value, message.Properties.CorrelationId));
        Assert.Equal("värde", message.ApplicationProperties!["text"]);
        Assert.Equal(true, message.ApplicationProperties["flag"]);
        Assert.Equal(42L, Convert.ToInt64(message.ApplicationProperties["number"]));
        Assert.Equal(-3_000_000_000L, Convert.ToInt64(message.ApplicationProperties["far"]));
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task Two_megabytes_travel_both_ways_in_many_frames()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var body = new byte[2_000_000];
        Random.Shared.NextBytes(body);
        Assert.IsType<Accepted>(await (await session.SenderAsync(queue)).SendAsync(body));

        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, Mode);
        Assert.Equal(body, Inbox.Body(await inbox.TakeAsync()));
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task Thousands_of_messages_stay_in_order_while_credit_is_renewed()
    {
        const int Count = 3_000;
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        var outcomes = await Task.WhenAll(Enumerable.Range(0, Count).Select(n => sender.SendAsync(BitConverter.GetBytes(n))));
        Assert.All(outcomes, outcome => Assert.IsType<Accepted>(outcome));

        var inbox = await Inbox.OpenAsync(session, queue, credit: 50, Mode, renews: true);
        var settling = new List<Task<DeliveryState>>();
        for (var n = 0; n < Count; n++)
        {
            var delivery = await inbox.TakeAsync();
            Assert.Equal(n, BitConverter.ToInt32(Inbox.Body(delivery)));
            settling.Add(inbox.SettleAsync(delivery, Accepted.Instance));
        }

        Assert.All(await Task.WhenAll(settling), outcome => Assert.IsType<Accepted>(outcome));
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task Settled_messages_need_no_answer_in_either_direction()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        await sender.SendAsync("one"u8.ToArray(), settled: true);
        await sender.SendAsync("two"u8.ToArray(), settled: true);

        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, ReceiverSettleMode.First);
        foreach (var expected in new[] { "one", "two" })
        {
            var delivery = await inbox.TakeAsync();
            Assert.Equal(expected, System.Text.Encoding.UTF8.GetString(Inbox.Body(delivery)));
            inbox.Receiver.Settle(delivery, Accepted.Instance);
        }

        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_message_that_is_released_comes_again()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        await (await session.SenderAsync(queue)).SendAsync("again"u8.ToArray());
        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, Mode);
        await inbox.SettleAsync(await inbox.TakeAsync(), Released.Instance);
        var second = await inbox.TakeAsync();
        Assert.Equal("again"u8.ToArray(), Inbox.Body(second));
        await inbox.SettleAsync(second, Accepted.Instance);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task After_a_drain_nothing_comes_until_there_is_credit_again()
    {
        using var patience = new CancellationTokenSource(Peers.Patience);
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        await sender.SendAsync("before"u8.ToArray());
        var inbox = await Inbox.OpenAsync(session, queue, credit: 10, Mode);
        await inbox.TakeAsync();
        await inbox.Receiver.DrainAsync(patience.Token);
        Assert.Equal(0u, inbox.Receiver.Credit);

        await sender.SendAsync("after"u8.ToArray());
        Assert.Equal(0, inbox.Waiting);
        inbox.Receiver.SetCredit(CreditAfterDrain);
        Assert.Equal("after"u8.ToArray(), Inbox.Body(await inbox.TakeAsync()));
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task Links_sessions_and_the_connection_close_in_order_and_leave_no_thread()
    {
        using var patience = new CancellationTokenSource(Peers.Patience);
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var sender = await session.SenderAsync(queue);
        var inbox = await Inbox.OpenAsync(session, queue, credit: 1, Mode);
        await sender.CloseAsync(patience.Token);
        await inbox.Receiver.CloseAsync(patience.Token);
        await (await session.SenderAsync(queue)).SendAsync("x"u8.ToArray());
        await session.CloseAsync(patience.Token);
        var other = await session.Connection.OpenSessionAsync(new SessionOptions(), patience.Token);
        await (await other.SenderAsync(queue)).SendAsync("y"u8.ToArray());
        await session.Connection.CloseAsync(patience.Token);
        Assert.False(inbox.Closed.Task.IsCompleted);
        await Assert.ThrowsAsync<AmqpException>(() => other.SenderAsync(queue));
    }

    [Fact]
    public async Task A_connection_on_which_nothing_happens_stays_open()
    {
        var session = await OpenAsync(idleTimeout: TimeSpan.FromSeconds(2));
        var sender = await session.SenderAsync(await NewQueueAsync());
        await Task.Delay(TimeSpan.FromSeconds(5));
        Assert.Null(session.Connection.Failure);
        Assert.IsType<Accepted>(await sender.SendAsync("still here"u8.ToArray()));
        await session.Connection.CloseAsync(default);
    }

    /// <summary>The second, unless the peer knows only the first.</summary>
    private protected virtual ReceiverSettleMode Mode => ReceiverSettleMode.Second;

    /// <summary>The credit that the peer sends one message for, after it has given 9 back.</summary>
    private protected virtual uint CreditAfterDrain => 1;

    /// <summary>A session on a connection of its own.</summary>
    private protected abstract Task<AmqpSession> OpenAsync(TimeSpan? idleTimeout = null);

    /// <summary>An address that no other test uses.</summary>
    private protected virtual Task<string> NewQueueAsync() => Task.FromResult($"orders-{Guid.NewGuid():N}");
}
