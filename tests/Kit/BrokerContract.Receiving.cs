using System.Collections.Concurrent;
using Holdfast.Broker;
using Xunit;

namespace Holdfast.Tests.Kit;

public abstract partial class BrokerContract
{
    [Fact]
    public async Task A_message_arrives_as_it_was_sent()
    {
        var message = new Message
        {
            Id = "order-1",
            Body = new byte[] { 0, 1, 2, 255 },
            Priority = 3,
            ContentType = "application/octet-stream",
            ContentEncoding = "gzip, utf-8",
            CorrelationId = "basket-7",
            Subject = "paid",
            ReplyTo = "answers",
            TimeToLive = TimeSpan.FromHours(1),
            Properties = new Dictionary<string, object?> { ["text"] = "grün", ["number"] = 42L, ["yes"] = true },
        };

        await Sender.SendAsync(message, TimeSpan.Zero, default);
        var arrived = (await TakeAsync()).Message;

        Assert.Equal(message.Id, arrived.Id);
        Assert.Equal(message.Body.ToArray(), arrived.Body.ToArray());
        Assert.Equal(message.Priority, arrived.Priority);
        Assert.Equal(message.ContentType, arrived.ContentType);
        Assert.Equal(message.ContentEncoding, arrived.ContentEncoding);
        Assert.Equal(message.CorrelationId, arrived.CorrelationId);
        Assert.Equal(message.Subject, arrived.Subject);
        Assert.Equal(message.ReplyTo, arrived.ReplyTo);
        Assert.Equal(message.TimeToLive, arrived.TimeToLive);
        foreach (var (name, value) in message.Properties)
            Assert.Equal(value, arrived.Properties[name]);
    }

    [Fact]
    public async Task A_message_without_anything_but_a_name_arrives_too()
    {
        await Sender.SendAsync(new Message { Id = "bare" }, TimeSpan.Zero, default);
        var arrived = (await TakeAsync()).Message;

        Assert.Equal("bare", arrived.Id);
        Assert.True(arrived.Body.IsEmpty);
        Assert.Equal(0, arrived.Priority);
        Assert.Null(arrived.ContentType);
        Assert.Null(arrived.ContentEncoding);
        Assert.Null(arrived.CorrelationId);
        Assert.Null(arrived.Subject);
        Assert.Null(arrived.ReplyTo);
        Assert.Null(arrived.TimeToLive);
    }

    [Fact]
    public async Task What_nobody_receives_while_it_lives_comes_no_more_and_what_is_held_may_be_settled()
    {
        // Consumed once, so that what must be received in time does not wait for a beginning.
        await SendAsync("first");
        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.Complete, default));
        var (life, longer) = (TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(5));
        await Sender.SendAsync(new Message { Id = "held", TimeToLive = longer }, TimeSpan.Zero, default);
        var held = await TakeAsync();
        await Sender.SendAsync(new Message { Id = "waiting", TimeToLive = life }, TimeSpan.Zero, default);
        await Sender.SendAsync(new Message { Id = "living" }, TimeSpan.Zero, default);

        await Subject.PassAsync(longer * 1.2);

        Assert.Equal("living", (await TakeAsync()).Message.Id);
        await NothingComesAsync(Receiver);
        Assert.True(await Receiver.SettleAsync(held, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_delivery_tells_when_it_was_sent_when_it_came_and_how_long_it_is_ours()
    {
        var (sending, before) = (Subject.Time.GetUtcNow(), Subject.Time.GetTimestamp());
        await SendAsync("a");
        var delivery = await TakeAsync();

        Assert.InRange(delivery.EnqueuedAt, sending - Subject.Skew, Subject.Time.GetUtcNow() + Subject.Skew);
        Assert.InRange(delivery.ArrivedAt, before, Subject.Time.GetTimestamp());
        Assert.True(delivery.LockDuration > TimeSpan.Zero);
        IsDeliveryNumber(1, delivery);
    }

    [Fact]
    public void An_open_receiver_knows_its_queue_and_is_connected()
    {
        Assert.Equal(Queue, Receiver.Queue);
        Assert.True(Receiver.IsConnected);
        Assert.True(Receiver.RenewalBatch > 0);
    }

    [Fact]
    public async Task A_receive_waits_for_the_first_message()
    {
        var waiting = TakeAsync();
        await Subject.QuietAsync();
        Assert.False(waiting.IsCompleted);

        await SendAsync("a");

        Assert.Equal("a", (await waiting).Message.Id);
    }

    [Fact]
    public async Task A_receive_never_takes_more_than_there_is_room_for()
    {
        await SendAsync(5);

        var room = new Delivery[3];
        var taken = await Receiver.ReceiveAsync(room.AsMemory(0, 2), default);

        Assert.InRange(taken, 1, 2);
        Assert.All(room[taken..], Assert.Null);
        var others = await OpenAsync();
        Assert.Equal(5, Ids([.. room[..taken], .. await TakeAsync(others, 5 - taken)]).Distinct().Count());
    }

    [Fact]
    public async Task A_receive_that_is_called_off_takes_nothing()
    {
        await NothingComesAsync(Receiver);
        await SendAsync("a");

        var delivery = await TakeAsync(await OpenAsync());

        Assert.Equal("a", delivery.Message.Id);
        IsDeliveryNumber(1, delivery);
    }

    [Fact]
    public async Task A_receive_that_was_called_off_before_it_began_takes_nothing()
    {
        await SendAsync("a");

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Receiver.ReceiveAsync(new Delivery[1], new CancellationToken(canceled: true)).AsTask());

        IsDeliveryNumber(1, await TakeAsync());
    }

    [Fact]
    public async Task A_receive_that_is_called_off_while_a_message_comes_hands_it_over_or_leaves_it()
    {
        for (var round = 0; round < 100; round++)
        {
            using var cancel = new CancellationTokenSource();
            var room = new Delivery[1];
            var waiting = Receiver.ReceiveAsync(room, cancel.Token).AsTask();
            var sending = Task.Run(() => SendAsync("a"));
            await cancel.CancelAsync();
            await sending;

            var handedOver = await Task.WhenAny(waiting) == waiting && waiting.IsCompletedSuccessfully;
            var delivery = handedOver ? room[0] : await TakeAsync();

            Assert.True(handedOver || waiting.IsCanceled);
            Assert.True(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
        }

        await NothingComesAsync(Receiver);
    }

    [Fact]
    public async Task Competing_receivers_each_get_messages_of_their_own()
    {
        var other = await OpenAsync();
        var waiting = new[] { TakeAsync(Receiver, 4), TakeAsync(other, 4) };

        await SendAsync(8);

        Assert.Equal(8, Ids((await Task.WhenAll(waiting)).SelectMany(taken => taken)).Distinct().Count());
    }

    [Fact]
    public async Task Messages_come_in_the_order_of_their_sending()
    {
        Needs(BrokerFeatures.Order);

        await SendAsync("a", "b", "c", "d");

        Assert.Equal(["a", "b", "c", "d"], Ids(await TakeAsync(Receiver, 4)));
    }

    [Fact]
    public async Task The_more_urgent_message_comes_first()
    {
        Needs(BrokerFeatures.Priorities);

        foreach (var priority in new byte[] { 0, 9, 4, 9 })
            await Sender.SendAsync(Letter("p" + priority, priority), TimeSpan.Zero, default);

        Assert.Equal(["p9", "p9", "p4", "p0"], Ids(await TakeAsync(Receiver, 4)));
    }

    [Fact]
    public async Task A_message_that_is_sent_for_later_is_not_delivered_before()
    {
        Needs(BrokerFeatures.DelayedSends);

        var before = Subject.Time.GetTimestamp();
        await Sender.SendAsync(Letter("later"), Subject.Delay, default);

        Assert.Equal("later", (await TakeAfterDelayAsync(before)).Message.Id);
    }

    [Fact]
    public async Task Many_threads_at_once_settle_each_message_exactly_once()
    {
        const int Count = 2000;
        var settled = new ConcurrentBag<string>();
        using var enough = new CancellationTokenSource(Subject.Patience);

        var senders = Enumerable.Range(0, 4).Select(sender => Task.Run(async () =>
        {
            for (var n = 0; n < Count / 4; n++)
                await Sender.SendAsync(Letter($"{sender}-{n}"), TimeSpan.Zero, default);
        }));
        var receivers = Enumerable.Range(0, 4).Select(seed => Task.Run(() => WorkAsync(new Random(seed))));
        await Task.WhenAll([.. senders, .. receivers]);

        Assert.Equal(Count, settled.Count);
        Assert.Equal(Count, settled.Distinct().Count());
        await NothingComesAsync(Receiver);

        async Task WorkAsync(Random dice)
        {
            await using var receiver = await OpenAsync();
            var room = new Delivery[16];
            try
            {
                while (true)
                {
                    var taken = await receiver.ReceiveAsync(room.AsMemory(0, dice.Next(1, 17)), enough.Token);
                    foreach (var delivery in room.AsMemory(0, taken).ToArray())
                    {
                        var settlement = dice.Next(4) == 0 && delivery.DeliveryCount == 1 ? Settlement.Abandon : Settlement.Complete;
                        Assert.True(await receiver.SettleAsync(delivery, settlement, default));
                        if (settlement == Settlement.Complete)
                            settled.Add(delivery.Message.Id);

                        // A busy machine may be slow, but it goes on: patience begins anew.
                        enough.CancelAfter(Subject.Patience);
                    }

                    if (settled.Count == Count)
                        await enough.CancelAsync();
                }
            }
            catch (OperationCanceledException)
            {
                // All are settled, or patience has run out: the counts will tell.
            }
        }
    }
}
