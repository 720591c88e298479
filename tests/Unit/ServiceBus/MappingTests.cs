using System.Text;
using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Kit.Amqp;
using Holdfast.Virtual;
using Settlement = Holdfast.Broker.Settlement;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class MappingTests
{
    private static readonly DateTimeOffset s_noon = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);
    private static readonly int[] s_numbers = [1, 2];
    private readonly VirtualTime _time = new();

    [Fact]
    public void A_message_arrives_as_it_was_sent()
    {
        var message = new Message
        {
            Id = "order-1",
            Body = new byte[] { 1, 2, 3 },
            Priority = 7,
            ContentType = "application/json",
            CorrelationId = "basket",
            SessionId = "shop",
            Subject = "paid",
            ReplyTo = "answers",
            TimeToLive = TimeSpan.FromMinutes(5),
            Properties = new Dictionary<string, object?>
            {
                ["text"] = "grün",
                ["number"] = 42L,
                ["none"] = null,
                ["time"] = s_noon,
                ["span"] = TimeSpan.FromTicks(12345),
                ["id"] = Guid.Empty,
                ["bytes"] = new byte[] { 9 },
            },
        };

        var arrived = Letter.Read(Travel(Envelope.Of(message, s_noon)), 1);

        Assert.Equal((message.Id, message.Priority, message.ContentType, message.CorrelationId, message.SessionId), (arrived.Id, arrived.Priority, arrived.ContentType, arrived.CorrelationId, arrived.SessionId));
        Assert.Equal(("paid", "answers", TimeSpan.FromMinutes(5)), (arrived.Subject, arrived.ReplyTo, arrived.TimeToLive));
        Assert.Equal(message.Body.ToArray(), arrived.Body.ToArray());
        Assert.Equal(message.Properties, arrived.Properties);
    }

    [Fact]
    public void A_message_weighs_its_body_and_next_to_nothing_else()
    {
        var plain = Letter.Read(Travel(Envelope.Of(new Message { Id = "a", Body = new byte[1000], Properties = new Dictionary<string, object?> { ["shop"] = 7 } }, s_noon)), 1);

        Assert.InRange(plain.Weight, 1000, 1500);
    }

    [Theory]
    [MemberData(nameof(Heavy))]
    public void What_its_sections_take_in_memory_is_weighed(AmqpMessage message, int least) =>
        Assert.InRange(Letter.Read(message, 1).Weight, least, least * 2);

    public static TheoryData<AmqpMessage, int> Heavy()
    {
        var numbers = Enumerable.Range(0, 1000).Select(n => (object?)n).ToArray();
        var map = new AmqpMap();
        foreach (var n in numbers)
            map[n!] = n;
        return new()
        {
            { new() { ApplicationProperties = new() { ["text"] = new string('a', 10_000) } }, 20_000 },
            { new() { ApplicationProperties = new() { ["list"] = numbers } }, 32_000 },
            { new() { ApplicationProperties = new() { ["map"] = map } }, 70_000 },
            { new() { ApplicationProperties = new() { ["array"] = new long[1000] } }, 10_000 },
            { new() { ApplicationProperties = new() { ["described"] = new Described((Symbol)"s", new byte[10_000]) } }, 10_000 },
            { new() { ApplicationProperties = new UnreadProperties(new byte[10_000], "wrong") }, 10_000 },
            { new() { MessageAnnotations = new() { ["x-text"] = new string('a', 10_000) } }, 20_000 },
            { new() { DeliveryAnnotations = new() { ["x-bytes"] = new byte[10_000] } }, 10_000 },
            { new() { Footer = new UnreadFields(new byte[10_000], "wrong") }, 10_000 },
            { new() { Body = new UnreadBody(new byte[10_000], "wrong") }, 10_000 },
            { new() { Body = new DataBody(new byte[10_000], new byte[10_000]) }, 40_000 },
            { new() { Body = new ValueBody(numbers) }, 34_000 },
            { new() { Body = new SequenceBody(numbers, numbers) }, 68_000 },
        };
    }

    [Theory]
    [InlineData(5, 5)]
    [InlineData(5u, 5)]
    [InlineData(255L, 255)]
    [InlineData((byte)5, 5)]
    [InlineData(256ul, 0)]
    [InlineData(-1, 0)]
    [InlineData("5", 0)]
    public void A_priority_is_a_whole_number_however_its_sender_wrote_it(object written, byte priority) =>
        Assert.Equal(priority, Letter.Read(Travel(new AmqpMessage { ApplicationProperties = new() { ["holdfast-priority"] = written } }), 1).Priority);

    [Theory]
    [InlineData(0.5, 1u)]
    [InlineData(60_000, 60_000u)]
    [InlineData(90 * 86_400_000.0, uint.MaxValue)]
    public void A_life_is_told_in_both_ways_from_when_it_begins(double milliseconds, uint header)
    {
        var life = TimeSpan.FromMilliseconds(milliseconds);

        var now = Travel(Envelope.Of(new Message { Id = "a", TimeToLive = life }, s_noon));
        var later = Travel(Envelope.Of(new Message { Id = "a", TimeToLive = life }, s_noon, s_noon.AddHours(1)));

        Assert.Equal(header, now.Header!.TimeToLive);
        Assert.Equal((AmqpTimestamp.From(s_noon), AmqpTimestamp.From(s_noon + life)), (now.Properties!.CreationTime, now.Properties.AbsoluteExpiryTime));
        Assert.Equal(AmqpTimestamp.From(s_noon.AddHours(1) + life), later.Properties!.AbsoluteExpiryTime);
        Assert.Equal(Math.Ceiling(milliseconds), Letter.Read(now, 1).TimeToLive?.TotalMilliseconds);
    }

    [Fact]
    public void Who_may_live_for_ever_has_no_end()
    {
        Assert.Null(Travel(Envelope.Of(new Message { Id = "a" }, s_noon)).Header);
        Assert.Null(Travel(Envelope.Of(new Message { Id = "a", TimeToLive = TimeSpan.MaxValue }, s_noon)).Properties!.AbsoluteExpiryTime);
        Assert.Null(Letter.Read(new AmqpMessage { Header = new() { TimeToLive = 0 } }, 1).TimeToLive);
        foreach (var (from, to) in new[] { (5, 5), (253402300800000, 253402300800001), (long.MinValue, long.MinValue + 5), (long.MaxValue, long.MinValue) })
            Assert.Null(Letter.Read(new AmqpMessage { Properties = new() { CreationTime = new(from), AbsoluteExpiryTime = new(to) } }, 1).TimeToLive);
        Assert.NotNull(Letter.Read(new AmqpMessage { Properties = new() { CreationTime = new(long.MinValue), AbsoluteExpiryTime = new(long.MaxValue) } }, 1).TimeToLive);
    }

    [Fact]
    public void A_copy_s_life_begins_anew_for_the_end_of_its_original_may_be_over()
    {
        var delivery = Arrive(new AmqpMessage
        {
            Header = new() { TimeToLive = 60_000 },
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            Properties = new() { CreationTime = AmqpTimestamp.From(s_noon), AbsoluteExpiryTime = AmqpTimestamp.From(s_noon.AddMinutes(1)) },
        });

        var replayed = Travel(Envelope.Replay(delivery, s_noon.AddDays(1)));
        var delayed = Travel(Envelope.Later(delivery, default, s_noon.AddHours(1)));

        Assert.Equal((60_000u, AmqpTimestamp.From(s_noon.AddDays(1).AddMinutes(1))), (replayed.Header!.TimeToLive, replayed.Properties!.AbsoluteExpiryTime));
        Assert.Equal((60_000u, AmqpTimestamp.From(s_noon.AddHours(1).AddMinutes(1))), (delayed.Header!.TimeToLive, delayed.Properties!.AbsoluteExpiryTime));
    }

    [Theory]
    [InlineData("traceparent", "given")]
    [InlineData("Diagnostic-Id", "another")]
    public void A_trace_is_also_told_where_Azures_older_clients_look_unless_something_is_there(string name, string expected)
    {
        var sent = Travel(Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["traceparent"] = "given", [name] = expected } }, s_noon));

        Assert.Equal(("given", expected), (sent.ApplicationProperties!["traceparent"], sent.ApplicationProperties["Diagnostic-Id"]));
    }

    [Fact]
    public void What_is_sent_for_later_says_when()
    {
        var sent = Travel(Envelope.Of(new Message { Id = "a" }, s_noon, s_noon.AddHours(1)));

        Assert.Equal(AmqpTimestamp.From(s_noon.AddHours(1)), sent.MessageAnnotations!["x-opt-scheduled-enqueue-time"]);
    }

    [Fact]
    public void A_letter_that_was_read_can_be_sent_on()
    {
        var read = PropertyValues.Read(Travel(Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["letter"] = 'x' } }, s_noon)).ApplicationProperties);

        var sent = Travel(Envelope.Of(new Message { Id = "b", Properties = read }, s_noon));

        Assert.Equal("x", sent.ApplicationProperties!["letter"]);
    }

    [Fact]
    public void A_property_that_does_not_fit_is_named()
    {
        var problem = Assert.Throws<BrokerException>(() => Envelope.Of(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["list"] = new List<int>() } }, s_noon));

        Assert.False(problem.IsTransient);
        Assert.Contains("The property list is a List", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_body_of_any_kind_is_bytes_to_a_handler()
    {
        Assert.Equal("", Body(null));
        Assert.Equal("", Body(new ValueBody(null)));
        Assert.Equal("ab", Body(new DataBody("a"u8.ToArray(), "b"u8.ToArray())));
        Assert.Equal("grün", Body(new ValueBody("grün")));
        Assert.Equal("x", Body(new ValueBody("x"u8.ToArray())));
        Assert.Equal("42", Body(new ValueBody(42)));
        Assert.Equal("""{"a":[1,true,null,"b"]}""", Body(new ValueBody(new AmqpMap { ["a"] = new List<object?> { 1u, true, null, "b" } })));
        Assert.Equal("[1,2]", Body(new SequenceBody(new object?[] { 1, 2L })));
        Assert.Equal("[1,2]", Body(new SequenceBody(new object?[] { 1 }, new object?[] { 2 })));
        Assert.Equal("[[1,2],[1,2]]", Body(new ValueBody(new NestedArray([s_numbers, s_numbers]))));
        Assert.Equal("[null,null]", Body(new ValueBody(new NullArray(2))));
        Assert.Equal("\"AQI=\"", Body(new ValueBody(new UByteArray(new byte[] { 1, 2 }))));
        Assert.Equal("""{"0a0b":1,"2":2,"s":3}""", Body(new ValueBody(new AmqpMap { [new byte[] { 10, 11 }] = 1, [2L] = 2, [(Symbol)"s"] = 3 })));
    }

    [Fact]
    public void Properties_of_kinds_that_the_standard_has_no_place_for_are_lists_and_tables_that_anybody_can_show()
    {
        var properties = PropertyValues.Read(Travel(new AmqpMessage
        {
            ApplicationProperties = new()
            {
                ["table"] = new AmqpMap { [new byte[] { 10, 11 }] = new AmqpTimestamp(0), [(Symbol)"s"] = new object?[] { (Symbol)"x", null } },
                ["numbers"] = s_numbers,
                ["bytes"] = new UByteArray(new byte[] { 1, 2 }),
                ["signed"] = new sbyte[] { -1 },
                ["nulls"] = new NullArray(1),
                ["nested"] = new NestedArray([s_numbers]),
                ["described"] = new Described(7ul, new object?[] { (Symbol)"x" }),
            },
        }).ApplicationProperties);

        var table = Assert.IsType<Dictionary<string, object?>>(properties["table"]);
        Assert.Equal(DateTimeOffset.UnixEpoch, table["0a0b"]);
        Assert.Equal(new List<object?> { "x", null }, table["s"]);
        Assert.Equal(new List<object?> { 1, 2 }, properties["numbers"]);
        Assert.Equal(new byte[] { 1, 2 }, properties["bytes"]);
        Assert.Equal(new List<object?> { (sbyte)-1 }, properties["signed"]);
        Assert.Equal(new List<object?> { null }, properties["nulls"]);
        Assert.Equal(new List<object?> { new List<object?> { 1, 2 } }, properties["nested"]);
        Assert.Equal(new List<object?> { "x" }, properties["described"]);
        Assert.Contains("\"0a0b\":\"1970-", System.Text.Json.JsonSerializer.Serialize(properties), StringComparison.Ordinal);
    }

    [Fact]
    public void A_body_that_can_t_be_read_is_none_and_the_delivery_says_why()
    {
        var delivery = Arrive(new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            Properties = new() { MessageId = "order" },
            Body = new UnreadBody(default, "Values more than 32 deep within one another (at byte 9)"),
        });

        Assert.Equal(("order", 0), (delivery.Message.Id, delivery.Message.Body.Length));
        Assert.Equal("Its body can't be read: Values more than 32 deep within one another (at byte 9).", delivery.Unreadable);
        Assert.Equal(delivery.Unreadable, Letter.Swept(delivery).Unreadable);
        Assert.Equal(delivery.Unreadable, Letter.Queued(delivery.Original, 5).Unreadable);
        Assert.Null(Arrive(delivery.Original with { Body = new ValueBody(null) }).Unreadable);
    }

    [Fact]
    public void Properties_that_can_t_be_read_are_said_to_be_so_and_are_sent_on_as_they_came()
    {
        var letter = new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            Properties = new() { MessageId = "order" },
            ApplicationProperties = new UnreadProperties(new byte[] { 0, 0x53, 0x74, 0xc1, 7, 2, 0xa1, 1, 0x6b, 0xa1, 1, 0xff }, "A string that is not UTF-8 (at byte 11)") { ["DeadLetterReason"] = "unreadable" },
            Body = new DataBody("x"u8.ToArray()),
        };

        var delivery = Arrive(letter);

        Assert.Equal(("order", "Its properties can't be read: A string that is not UTF-8 (at byte 11)."), (delivery.Message.Id, delivery.Unreadable));
        Assert.Equal("unreadable", Letter.Swept(delivery).Reason);
        Assert.Same(letter.ApplicationProperties, Envelope.Replay(delivery, s_noon).ApplicationProperties);
        Assert.IsType<UnreadProperties>(Travel(letter).ApplicationProperties);
    }

    [Fact]
    public void One_of_the_standard_s_own_properties_that_can_t_be_read_is_said_to_be_so_and_a_copy_has_a_name_and_a_life_of_its_own()
    {
        var letter = Travel(new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            Properties = new() { MessageId = new UnreadValue(NestedLists.Of(40)), Subject = "paid", CorrelationId = new UnreadValue(NestedLists.Of(40)), AbsoluteExpiryTime = AmqpTimestamp.From(s_noon) },
            Body = new DataBody("x"u8.ToArray()),
        });

        var delivery = Arrive(letter);
        var copy = Travel(Envelope.Replay(delivery, s_noon));

        Assert.Equal(("sequence-5", "paid"), (delivery.Message.Id, delivery.Message.Subject));
        Assert.StartsWith("Its properties can't be read: Values more than 32 deep", delivery.Unreadable, StringComparison.Ordinal);
        Assert.Equal(delivery.Unreadable, Letter.Queued(letter, 5).Unreadable);
        Assert.StartsWith("holdfast-replay-", Assert.IsType<string>(copy.Properties!.MessageId), StringComparison.Ordinal);
        Assert.NotNull(copy.Properties.Unread);
        Assert.Null(copy.Properties.AbsoluteExpiryTime);
    }

    [Fact]
    public void A_header_that_can_t_be_read_is_said_to_be_so() =>
        Assert.StartsWith("Its header can't be read: ", Letter.Unreadable(AmqpMessage.Decode(Amqp.Wire.Bytes("00 53 70 c0 02 01 43"))), StringComparison.Ordinal);

    [Fact]
    public void Annotations_that_can_t_be_read_keep_nobody_from_a_message_and_go_with_its_copies()
    {
        var letter = Travel(new AmqpMessage
        {
            DeliveryAnnotations = new() { ["theirs"] = new UnreadValue(NestedLists.Of(40)) },
            MessageAnnotations = new()
            {
                ["mine"] = new UnreadValue(NestedLists.Of(40)),
                ["grün"] = 1,
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)),
            },
        });

        var delivery = Arrive(letter);
        var copy = Travel(Envelope.Later(delivery, default, s_noon));

        Assert.Null(delivery.Unreadable);
        Assert.Equal((5L, 30), (delivery.SequenceNumber, delivery.LockDuration.TotalSeconds));
        Assert.Equal(["x-opt-scheduled-enqueue-time", "mine", "grün"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        Assert.Equal(NestedLists.Of(40), Assert.IsType<UnreadValue>(copy.MessageAnnotations["mine"]).Encoded.ToArray());
    }

    [Fact]
    public void What_other_clients_call_a_time_or_an_address_is_known()
    {
        var properties = PropertyValues.Read(new ApplicationProperties
        {
            ["span"] = new Described((Symbol)"com.microsoft:timespan", 10L),
            ["uri"] = new Described((Symbol)"com.microsoft:uri", "https://one/"),
            ["time"] = new Described((Symbol)"com.microsoft:datetime-offset", s_noon.UtcTicks),
            ["other"] = new Described((Symbol)"com.example:x", 7),
            ["symbol"] = (Symbol)"s",
        });

        Assert.Equal([TimeSpan.FromTicks(10), "https://one/", s_noon, 7, "s"], properties.Values);
    }

    [Theory]
    [InlineData("a", "a")]
    [InlineData(7UL, "7")]
    [InlineData(null, "sequence-12")]
    [InlineData("", "sequence-12")]
    [InlineData(new byte[] { 10, 11 }, "0a0b")]
    [InlineData(new byte[0], "sequence-12")]
    [InlineData(new int[] { 1 }, "sequence-12")]
    [InlineData(1.5, "1.5")]
    public void A_message_without_a_name_gets_one_of_its_own(object? id, string name) =>
        Assert.Equal(name, Letter.Read(new AmqpMessage { Properties = new() { MessageId = id } }, 12).Id);

    [Theory]
    [InlineData("", "order")]
    [InlineData("first", "first")]
    [InlineData(7, "order")]
    public void The_name_that_a_copy_remembers_is_one_if_it_is_a_text(object remembered, string name) =>
        Assert.Equal(name, Letter.Read(new AmqpMessage { Properties = new() { MessageId = "order" }, ApplicationProperties = new() { ["holdfast-id"] = remembered } }, 12).Id);

    [Fact]
    public void What_has_several_values_is_no_name_or_two_messages_would_have_the_same()
    {
        foreach (var id in new object[] { new AmqpMap { ["a"] = 1 }, new object?[] { 1 }, new Described(1ul, 2), new UByteArray(new byte[] { 1 }), new NullArray(1), new NestedArray([]) })
        {
            var read = Letter.Read(Travel(new AmqpMessage { Properties = new() { MessageId = id, CorrelationId = id } }), 12);
            Assert.Equal(("sequence-12", null), (read.Id, read.CorrelationId));
        }

        Assert.Equal($"{Guid.Empty}", Letter.Read(Travel(new AmqpMessage { Properties = new() { MessageId = Guid.Empty } }), 12).Id);
        Assert.Equal("s", Letter.Read(Travel(new AmqpMessage { Properties = new() { MessageId = (Symbol)"s" } }), 12).Id);
    }

    [Fact]
    public void However_often_it_was_delivered_is_told_as_a_count()
    {
        var often = Travel(new AmqpMessage { Header = new() { DeliveryCount = uint.MaxValue } });

        Assert.Equal((int.MaxValue, int.MaxValue), (Letter.Queued(often, 1).HandedOut, Letter.DeliveryCount(often)));
    }

    [Fact]
    public void How_often_this_queue_has_handed_it_out_does_not_count_what_was_before_it_was_sent_on()
    {
        var delivery = Arrive(new AmqpMessage
        {
            Header = new() { DeliveryCount = 2 },
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            ApplicationProperties = new() { ["holdfast-deliveries"] = 10 },
        });

        Assert.Equal((13, 2, 3), (delivery.DeliveryCount, Letter.Queued(delivery.Original, 5).HandedOut, Letter.Swept(delivery).HandedOut));
    }

    [Theory]
    [InlineData(long.MinValue)]
    [InlineData(-62135596800001)]
    [InlineData(253402300800000)]
    [InlineData(long.MaxValue)]
    public void Times_beyond_all_calendars_keep_nobody_from_a_message(long milliseconds)
    {
        AmqpTimestamp absurd = new(milliseconds);
        var letter = Travel(new AmqpMessage
        {
            Header = new() { TimeToLive = uint.MaxValue },
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-enqueued-time"] = absurd, ["x-opt-locked-until"] = absurd, ["theirs"] = absurd },
            Properties = new() { CreationTime = absurd, AbsoluteExpiryTime = absurd },
            ApplicationProperties = new() { ["holdfast-enqueued"] = absurd, ["dead-letter-time"] = absurd, ["theirs"] = absurd },
        });

        var delivery = Arrive(letter);

        Assert.InRange(delivery.LockDuration, TimeSpan.FromSeconds(1), TimeSpan.MaxValue);
        _ = (delivery.FencingToken, delivery.EnqueuedAt, Letter.Queued(letter, 5), Letter.Swept(delivery));
        Travel(Envelope.Later(delivery, default, s_noon));
        Travel(Envelope.Replay(delivery, s_noon));
    }

    [Fact]
    public void A_copy_that_must_wait_is_told_all_that_there_is_a_place_for()
    {
        var delivery = Arrive(new AmqpMessage { MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) } });
        var notes = new Dictionary<string, object?> { ["list"] = new List<object?> { 1 }, ["noted"] = 7 };

        var copy = Travel(Envelope.Later(delivery, Settlement.Delay(TimeSpan.FromMinutes(5)).With(notes), s_noon.AddMinutes(5)));

        Assert.Equal(["noted"], copy.ApplicationProperties!.Keys.Intersect(notes.Keys));
    }

    [Fact]
    public void A_copy_that_must_wait_remembers_its_name_and_its_deliveries_and_leaves_what_is_the_brokers()
    {
        var original = new AmqpMessage
        {
            Header = new() { DeliveryCount = 2, TimeToLive = 5000 },
            MessageAnnotations = new()
            {
                ["x-opt-enqueued-time"] = AmqpTimestamp.From(s_noon),
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)),
                ["x-opt-partition-key"] = "p",
                ["mine"] = 1,
            },
            Properties = new() { MessageId = "order", GroupId = "s" },
            ApplicationProperties = new() { ["kept"] = "yes" },
            Body = new ValueBody(42),
        };
        var delivery = Arrive(original);
        Assert.Equal(3, delivery.DeliveryCount);

        var copy = Travel(Envelope.Later(delivery, default, s_noon.AddMinutes(5)));

        Assert.Equal(["x-opt-scheduled-enqueue-time", "x-opt-partition-key", "mine"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        Assert.Equal(5000u, copy.Header!.TimeToLive);
        Assert.Equal(42, Assert.IsType<ValueBody>(copy.Body).Value);
        Assert.NotEqual("order", copy.Properties!.MessageId);
        var read = Letter.Read(copy, 6);
        Assert.Equal(("order", "s"), (read.Id, read.SessionId));
        Assert.Equal(["kept"], read.Properties.Keys);
        Assert.Equal(4, Letter.DeliveryCount(copy));
        Assert.Equal(s_noon, Letter.FirstEnqueuedAt(copy));
    }

    [Fact]
    public void A_dead_letter_that_is_replayed_is_as_if_it_were_sent_now_and_has_a_name_that_follows_from_itself()
    {
        var delivery = Arrive(new AmqpMessage
        {
            MessageAnnotations = new()
            {
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)),
                ["x-opt-deadletter-source"] = "orders",
                ["mine"] = 1,
            },
            Properties = new() { MessageId = "order", GroupId = "s" },
            ApplicationProperties = new()
            {
                ["kept"] = "yes",
                ["DeadLetterReason"] = "Timeout",
                ["DeadLetterErrorDescription"] = "late",
                ["dead-letter-stack"] = "at",
                ["holdfast-failures"] = "[]",
                ["holdfast-deliveries"] = 9,
                ["holdfast-enqueued"] = AmqpTimestamp.From(s_noon),
                ["holdfast-replays"] = 1L,
            },
        });

        var copy = Travel(Envelope.Replay(delivery, s_noon));

        Assert.Equal("holdfast-replay-1c168adb00d208e4-5-2", copy.Properties!.MessageId);
        Assert.Equal(["mine"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        var read = Letter.Read(copy, 6);
        Assert.Equal(("order", "s"), (read.Id, read.SessionId));
        Assert.Equal(["holdfast-replayed-at", "holdfast-replays", "kept"], read.Properties.Keys.Order());
        Assert.Equal(1, Letter.DeliveryCount(copy));
        Assert.Null(Letter.FirstEnqueuedAt(copy));
    }

    [Theory]
    [InlineData(long.MaxValue, int.MaxValue, int.MaxValue)]
    [InlineData(ulong.MaxValue, int.MaxValue, int.MaxValue)]
    [InlineData(long.MinValue, 0, 1)]
    [InlineData(2, 2, 3)]
    [InlineData(2u, 2, 3)]
    [InlineData("2", 0, 1)]
    public void Counts_that_anybody_may_have_written_are_counts_whatever_they_say(object written, long counted, int delivered)
    {
        var delivery = Arrive(new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            ApplicationProperties = new() { ["holdfast-replays"] = written, ["holdfast-deliveries"] = written },
        });

        var copy = Travel(Envelope.Replay(delivery, s_noon));

        Assert.Equal(counted + 1, copy.ApplicationProperties!["holdfast-replays"]);
        Assert.EndsWith($"-5-{counted + 1}", (string)copy.Properties!.MessageId!, StringComparison.Ordinal);
        Assert.Equal(delivered, delivery.DeliveryCount);
    }

    [Fact]
    public void A_dead_letter_s_age_is_counted_from_when_it_was_put_aside_however_that_was_noted()
    {
        var delivery = Arrive(new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) },
            ApplicationProperties = new() { ["dead-letter-time"] = AmqpTimestamp.From(s_noon.AddHours(1)), ["dead-letter-last-failure"] = s_noon.ToString("O") },
        });

        Assert.Equal(s_noon.AddHours(1), Letter.Swept(delivery).PutAsideAt);
        Assert.Equal(s_noon.AddHours(1), Letter.Queued(delivery.Original, 5).PutAsideAt);
        Assert.DoesNotContain("dead-letter-time", Envelope.Replay(delivery, s_noon).ApplicationProperties!.Keys);
        delivery.Original.ApplicationProperties!.Remove("dead-letter-time");
        Assert.Equal(s_noon, Letter.Queued(delivery.Original, 5).PutAsideAt);
        delivery.Original.ApplicationProperties.Clear();
        Assert.Null(Letter.Queued(delivery.Original, 5).PutAsideAt);
    }

    [Fact]
    public void Letters_of_two_queues_are_never_taken_for_one_and_their_names_fit()
    {
        var letter = new AmqpMessage { MessageAnnotations = new() { ["x-opt-sequence-number"] = long.MaxValue, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) } };
        var longest = new string('o', 240);

        string[] names = [.. new[] { "orders/$DeadLetterQueue", "bills/$DeadLetterQueue", $"{longest}/$DeadLetterQueue" }.Select(queue => (string)Envelope.Replay(Arrive(letter, queue), s_noon).Properties!.MessageId!)];

        Assert.Equal(3, names.Distinct().Count());
        Assert.Equal(names[0], Envelope.Replay(Arrive(letter, "Orders/$deadletterqueue"), s_noon).Properties!.MessageId);
        Assert.All(names, name => Assert.InRange(name.Length, 1, 128));
    }

    [Fact]
    public void A_delivery_without_what_a_lock_needs_is_nonsense()
    {
        var whole = new AmqpFields { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)) };
        Assert.Equal(30, Arrive(new AmqpMessage { MessageAnnotations = whole }).LockDuration.TotalSeconds);

        foreach (var missing in whole.Keys.ToArray())
        {
            var rest = new AmqpFields { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow()) };
            rest.Remove(missing);
            Assert.Contains("that Service Bus does not give", Assert.Throws<BrokerException>(() => Arrive(new AmqpMessage { MessageAnnotations = rest })).Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(5, 1u, true)]
    [InlineData(5, 0u, false)]
    [InlineData(6, 1u, false)]
    public void What_was_completed_as_far_as_we_could_tell_and_comes_again_is_known(long number, uint deliveries, bool isKnown)
    {
        var recollection = new Recollection();
        recollection.NoteCompleted(Arrive(Letter(5, 0)));

        Assert.Equal(isKnown, Arrive(Letter(number, deliveries), recollection: recollection).WasSettled);

        AmqpMessage Letter(long number, uint deliveries) => new()
        {
            Header = new() { DeliveryCount = deliveries },
            MessageAnnotations = new()
            {
                ["x-opt-sequence-number"] = number,
                ["x-opt-enqueued-time"] = AmqpTimestamp.From(s_noon),
                ["x-opt-locked-until"] = AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30)),
            },
        };
    }

    private ServiceBusDelivery Arrive(AmqpMessage message, string queue = "orders", Recollection? recollection = null)
    {
        var address = NamespaceAddress.OfHost("one");
        var problems = new Problems(address, new KeyTokens(new SharedAccessKey("me", "secret"), _time));
        return new Incoming(EntityName.Parse(queue), recollection ?? new Recollection(), problems, new BrokerClock(_time), _time).Read(message, Guid.NewGuid(), null, null, _time.GetTimestamp());
    }

    private static AmqpMessage Travel(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return AmqpMessage.Decode(writer.ToArray());
    }

    private static string Body(MessageBody? body) => Encoding.UTF8.GetString(BodyBytes.Of(body).Span);
}
