using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class EnvelopeTests
{
    private static readonly DateTimeOffset s_now = new(2026, 5, 4, 3, 2, 1, 500, TimeSpan.Zero);

    [Fact]
    public void A_new_message_is_named_persistent_and_dated()
    {
        var message = new Message { Id = "a", Priority = 4, ContentType = "text/plain", ContentEncoding = "gzip", CorrelationId = "c", Properties = new Dictionary<string, object?> { ["mine"] = 1 } };

        var envelope = Envelope.Of(message, s_now);

        Assert.Equal(("a", 4, "text/plain", "gzip", "c", true), (envelope.MessageId, envelope.Priority, envelope.ContentType, envelope.ContentEncoding, envelope.CorrelationId, envelope.Persistent));
        Assert.Equal("gzip", Delivered(envelope).Message.ContentEncoding);
        Assert.Equal(1, envelope.Headers!["mine"]);
        Assert.Equal(s_now.ToUnixTimeSeconds(), envelope.Timestamp.UnixTime);
        Assert.Equal(s_now, Envelope.SentAt(envelope));
    }

    [Fact]
    public void What_it_is_about_where_an_answer_goes_and_how_long_it_lives_go_with_it_and_come_back()
    {
        var message = new Message { Id = "a", Subject = "paid", ReplyTo = "answers", TimeToLive = TimeSpan.FromMilliseconds(1500.5) };

        var envelope = Envelope.Of(message, s_now);
        var arrived = Delivered(envelope).Message;

        Assert.Equal(("paid", "answers", "1501"), (envelope.Type, envelope.ReplyTo, envelope.Expiration));
        Assert.Equal(("paid", "answers", TimeSpan.FromMilliseconds(1501)), (arrived.Subject, arrived.ReplyTo, arrived.TimeToLive));
    }

    [Fact]
    public void A_life_of_months_is_told() =>
        Assert.Equal(TimeSpan.FromDays(60), Delivered(Envelope.Of(new Message { Id = "a", TimeToLive = TimeSpan.FromDays(60) }, DateTimeOffset.UnixEpoch)).Message.TimeToLive);

    [Theory]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("soon")]
    [InlineData("315360000001")]
    [InlineData("99999999999999999999")]
    public void A_life_that_is_none_is_not_told(string expiration) =>
        Assert.Null(Delivered(new BasicProperties { MessageId = "a", Expiration = expiration }).Message.TimeToLive);

    [Fact]
    public void What_comes_weighs_its_body_and_its_headers()
    {
        var plain = Delivered(new BasicProperties { MessageId = "a" }).Message;
        var heavy = Delivered(new BasicProperties { MessageId = "a", Headers = new Dictionary<string, object?> { ["x"] = new byte[100_000] } }).Message;

        Assert.Equal(plain.Body.Length, plain.Weight);
        Assert.InRange(heavy.Weight, plain.Weight + 100_000, plain.Weight + 100_500);
    }

    [Fact]
    public void What_would_end_the_channel_is_refused_and_named()
    {
        var tooLong = new string('ä', 128);
        Refused("Id is 256 bytes", new Message { Id = tooLong });
        Refused("ContentType is 256 bytes", new Message { Id = "a", ContentType = tooLong });
        Refused("ContentEncoding is 256 bytes", new Message { Id = "a", ContentEncoding = tooLong });
        Refused("CorrelationId is 256 bytes", new Message { Id = "a", CorrelationId = tooLong });
        Refused("Subject is 256 bytes", new Message { Id = "a", Subject = tooLong });
        Refused("ReplyTo is 256 bytes", new Message { Id = "a", ReplyTo = tooLong });
        Refused("RabbitMQ has no sessions", new Message { Id = "a", SessionId = "s" });
        Refused("name a queue", new Message { Id = "a", ReplyTo = "amq.rabbitmq.reply-to" });
        Refused("3650 days at most", new Message { Id = "a", TimeToLive = TimeSpan.FromDays(3_651) });
        Assert.Equal("315360000000", Envelope.Of(new Message { Id = new string('x', 255), TimeToLive = TimeSpan.FromDays(3_650) }, s_now).Expiration);

        static void Refused(string why, Message message)
        {
            var problem = Assert.Throws<BrokerException>(() => Envelope.Of(message, s_now));
            Assert.False(problem.IsTransient);
            Assert.Contains(why, problem.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Without_our_header_the_timestamp_tells_when_it_was_sent()
    {
        Assert.Equal(DateTimeOffset.FromUnixTimeSeconds(1000), Envelope.SentAt(new BasicProperties { Timestamp = new AmqpTimestamp(1000) }));
        Assert.Null(Envelope.SentAt(new BasicProperties()));
    }

    [Fact]
    public void What_is_sent_on_has_the_origin_that_it_came_with_and_what_tells_none_has_none()
    {
        var delivery = Delivered(new BasicProperties { MessageId = "a", Timestamp = new AmqpTimestamp(1000) });

        Assert.Equal(DateTimeOffset.FromUnixTimeSeconds(1000).UtcTicks, delivery.Origin);
        Assert.Equal(delivery.Origin, Delivered(Envelope.ToWait(delivery, Settlement.Delay(TimeSpan.FromSeconds(1)))).Origin);
        Assert.Equal(0, Delivered(new BasicProperties { MessageId = "a" }).Origin);
    }

    [Fact]
    public void A_sender_whose_clock_is_beyond_all_calendars_is_not_believed()
    {
        var milliseconds = new AmqpTimestamp(1_790_000_000_000);

        Assert.Null(Envelope.SentAt(new BasicProperties { Timestamp = milliseconds }));
        Assert.Null(Envelope.SentAt(new BasicProperties { Headers = new Dictionary<string, object?> { ["timestamp_in_ms"] = long.MaxValue } }));
        Assert.Equal("a", Delivered(new BasicProperties { MessageId = "a", Timestamp = milliseconds }).Message.Id);
    }

    [Fact]
    public void What_is_replayed_is_as_if_it_were_sent_now_but_for_a_mark()
    {
        var dead = Sent(
            ("mine", 1), ("dead-letter-reason", "Timeout"), ("dead-letter-stack", "at"), ("holdfast-failures", "[]"), ("holdfast-deliveries", 9), ("x-delivery-count", 2L),
            ("x-death", new List<object?>()), ("x-first-death-queue", "orders"), ("x-last-death-queue", "orders"), ("timestamp_in_ms", 5L), ("holdfast-replays", 1L));

        var envelope = Envelope.ToReplay(dead, s_now);

        Assert.Equal(("a", "c", "text/plain", "gzip", 4, true), (envelope.MessageId, envelope.CorrelationId, envelope.ContentType, envelope.ContentEncoding, envelope.Priority, envelope.Persistent));
        Assert.Equal(["holdfast-replayed-at", "holdfast-replays", "mine", "timestamp_in_ms"], envelope.Headers!.Keys.Order());
        Assert.Equal(2L, envelope.Headers["holdfast-replays"]);
        Assert.Equal(s_now, Envelope.SentAt(envelope));
    }

    [Fact]
    public void What_is_sent_on_to_wait_is_the_same_message_and_knows_how_often_it_came()
    {
        var envelope = Envelope.ToWait(Delivered(Sent(("mine", 1), ("holdfast-deliveries", 2), ("x-delivery-count", 3L)), isRedelivered: true), default);

        Assert.Equal(("a", "c", "text/plain", "gzip", "me", 4), (envelope.MessageId, envelope.CorrelationId, envelope.ContentType, envelope.ContentEncoding, envelope.AppId, envelope.Priority));
        Assert.True(envelope.Persistent);
        Assert.Equal(6, envelope.Headers!["holdfast-deliveries"]);
        Assert.Equal(1, envelope.Headers["mine"]);
    }

    [Fact]
    public void What_the_server_would_act_upon_again_is_not_sent_on()
    {
        var original = Sent(
            ("x-delivery-count", 3L), ("x-acquired-count", 4L), ("x-dotnet-pub-seq-no", new byte[8]), ("CC", new List<object?>()), ("BCC", new List<object?>()));
        original.Expiration = "60000";
        original.UserId = "somebody";

        foreach (var envelope in new[] { Envelope.ToWait(Delivered(original), default), PutAside(original) })
        {
            Assert.False(envelope.IsExpirationPresent());
            Assert.False(envelope.IsUserIdPresent());
            Assert.Empty(original.Headers!.Keys.Intersect(envelope.Headers!.Keys));
        }

        Assert.Equal(5, original.Headers!.Count);
        Assert.Equal("60000", original.Expiration);
    }

    [Fact]
    public void What_goes_to_wait_has_no_note_of_a_death_for_which_the_server_would_drop_it()
    {
        var original = Delivered(DiedBefore());
        var told = Settlement.Delay(TimeSpan.FromSeconds(5)).With(original.Message.Properties);
        var later = new Message { Id = "later", Properties = original.Message.Properties };

        foreach (var envelope in new[] { Envelope.ToWait(original, default), Envelope.ToWait(original, told), Envelope.ToWait(later, s_now) })
        {
            Assert.Empty(envelope.Headers!.Keys.Intersect(ServersNotes()));
            Assert.Equal(1, envelope.Headers["mine"]);
        }

        Assert.Equal(ServersNotes(), original.Envelope.Headers!.Keys.Intersect(ServersNotes()));
    }

    [Fact]
    public void A_dead_letter_keeps_what_the_server_noted_of_a_death_before() =>
        Assert.Equal(ServersNotes(), PutAside(DiedBefore()).Headers!.Keys.Intersect(ServersNotes()));

    [Fact]
    public void What_was_moved_back_and_has_waited_is_told_from_its_first_life_by_our_own_note_of_its_death()
    {
        var movedBack = DiedBefore();
        movedBack.Headers!["dead-letter-time"] = new AmqpTimestamp(1_700_000_000);

        Assert.Equal(new MessageKey("a", 1, DiedAt: 1_700_000_000), Waited(movedBack).Key with { Traits = 0 });
        Assert.Equal(new MessageKey("a", 1), Waited(Sent()).Key with { Traits = 0 });
        Assert.Equal(new MessageKey("a", 1), Waited(DiedBefore()).Key with { Traits = 0 });

        static RabbitMqDelivery Waited(BasicProperties envelope) => Delivered(Envelope.ToWait(Delivered(envelope), default));
    }

    [Fact]
    public void What_is_put_aside_tells_why_where_from_and_how_often_it_came()
    {
        var headers = PutAside(Sent(("mine", 1), ("holdfast-deliveries", 2))).Headers!;

        Assert.Equal("BadOrder", headers["dead-letter-reason"]);
        Assert.Equal("No such article", headers["dead-letter-description"]);
        Assert.Equal("orders", headers["dead-letter-queue"]);
        Assert.Equal("shop", headers["dead-letter-exchange"]);
        Assert.Equal("new-orders", headers["dead-letter-routing-key"]);
        Assert.Equal(3, headers["dead-letter-deliveries"]);
        Assert.Equal(new AmqpTimestamp(s_now.ToUnixTimeSeconds()), headers["dead-letter-time"]);
        Assert.Equal(1, headers["mine"]);
        Assert.DoesNotContain("holdfast-deliveries", headers.Keys);
    }

    [Fact]
    public void A_copy_is_as_old_as_its_original()
    {
        var sent = new BasicProperties { MessageId = "a", Timestamp = new AmqpTimestamp(1000) };

        var once = Envelope.ToWait(Delivered(sent), default);
        var twice = Envelope.ToWait(Delivered(once), default);

        Assert.Equal(DateTimeOffset.FromUnixTimeSeconds(1000), Envelope.SentAt(twice));
    }

    [Fact]
    public void What_does_not_tell_its_age_is_as_old_as_when_it_first_came_however_often_it_is_sent_on()
    {
        var time = new VirtualTime();
        var first = Delivered(new BasicProperties { MessageId = "a" }, time: time);

        time.Advance(TimeSpan.FromHours(1));
        var waited = Delivered(Envelope.ToWait(first, default), time: time);
        var dead = Envelope.ToPutAside(waited, Settlement.DeadLetter("BadOrder", "No such article"), s_now);

        Assert.Equal(time.GetUtcNow() - TimeSpan.FromHours(1), waited.EnqueuedAt);
        Assert.Equal(waited.EnqueuedAt, Envelope.SentAt(dead));
    }

    [Fact]
    public void A_message_without_a_name_gets_one_when_it_is_sent_on()
    {
        var delivery = Delivered(new BasicProperties());

        Assert.False(delivery.IsNamed);
        Assert.Equal(delivery.Message.Id, Envelope.ToWait(delivery, default).MessageId);
    }

    [Fact]
    public void What_a_stranger_wrote_is_shortened_so_that_it_can_be_sent_on_and_has_one_id_all_the_way()
    {
        // 255 bytes that are no UTF-8, as the client reads them.
        var strange = new string('\ufffd', 255);
        var original = new BasicProperties
        {
            MessageId = strange,
            CorrelationId = strange,
            ContentType = strange,
            ContentEncoding = strange,
            Type = strange,
            ReplyTo = strange,
            AppId = strange,
            ClusterId = strange,
        };
        var delivery = Delivered(original);

        foreach (var envelope in new[] { Envelope.ToWait(delivery, default), PutAside(original), Envelope.ToReplay(original, s_now), Envelope.ToPutBack(original) })
        {
            Written(envelope);
            Assert.Equal(delivery.Message.Id, envelope.MessageId);
            Assert.Equal(delivery.Message.Id, Delivered(envelope).Message.Id);
        }

        Assert.ThrowsAny<Exception>(() => Written(original));
    }

    [Fact]
    public void An_address_by_which_no_answer_could_come_back_is_not_sent_on() =>
        Assert.Null(Envelope.ToWait(Delivered(new BasicProperties { MessageId = "a", ReplyTo = "amq.rabbitmq.reply-to" }), default).ReplyTo);

    [Theory]
    [InlineData(long.MaxValue, 1_000_001)]
    [InlineData(long.MinValue, 1)]
    public void However_often_a_sender_says_that_it_was_replayed_it_was_once_more(long told, long replays) =>
        Assert.Equal(replays, Envelope.ToReplay(Sent(("holdfast-replays", told)), s_now).Headers!["holdfast-replays"]);

    private static void Written(BasicProperties envelope)
    {
        var size = ((IAmqpWriteable)envelope).GetRequiredBufferSize();
        ((IAmqpWriteable)envelope).WriteTo(new byte[size]);
    }

    private static BasicProperties Sent(params (string Name, object? Value)[] headers) => new()
    {
        MessageId = "a",
        CorrelationId = "c",
        ContentType = "text/plain",
        ContentEncoding = "gzip",
        AppId = "me",
        Priority = 4,
        Headers = headers.ToDictionary(header => header.Name, header => header.Value),
    };

    // As a server writes them: text is bytes there.
    private static BasicProperties DiedBefore() => Sent([("mine", 1), .. ServersNotes().Select(name => (name, (object?)(name == "x-death" ? Deaths() : "orders"u8.ToArray())))]);

    private static string[] ServersNotes() =>
    [
        "x-death",
        "x-first-death-exchange", "x-first-death-queue", "x-first-death-reason",
        "x-last-death-exchange", "x-last-death-queue", "x-last-death-reason",
    ];

    private static List<object?> Deaths() => [new Dictionary<string, object?> { ["queue"] = "orders"u8.ToArray(), ["reason"] = "expired"u8.ToArray(), ["count"] = 1L }];

    private static BasicProperties PutAside(BasicProperties envelope) =>
        Envelope.ToPutAside(Delivered(envelope), Settlement.DeadLetter("BadOrder", "No such article"), s_now);

    private static RabbitMqDelivery Delivered(BasicProperties envelope, bool isRedelivered = false, TimeProvider? time = null) =>
        new(new Tap(Opened.On(FakeChannel.Open(), time ?? TimeProvider.System), prefetch: 1), Arriving.Message(envelope, isRedelivered: isRedelivered));
}
