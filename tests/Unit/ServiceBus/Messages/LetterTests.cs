using System.Text;
using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What a message says, whoever has sent it.</summary>
public sealed class LetterTests
{
    private static readonly int[] s_numbers = [1, 2];

    [Fact]
    public void A_message_weighs_its_body_and_next_to_nothing_else()
    {
        var plain = Letter.Read(Mail.Travel(Envelope.Of(new Message { Id = "a", Body = new byte[1000], Properties = new Dictionary<string, object?> { ["shop"] = 7 } }, Mail.Noon)), 1);

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
    [InlineData(0, QueuedState.Active)]
    [InlineData(1, QueuedState.Deferred)]
    [InlineData(2, QueuedState.Scheduled)]
    [InlineData("2", QueuedState.Active)]
    [InlineData(null, QueuedState.Active)]
    public void Whether_it_waits_for_its_time_or_for_who_has_its_number_is_told(object? written, QueuedState state) =>
        Assert.Equal(state, Letter.Queued(Mail.Travel(new AmqpMessage { MessageAnnotations = new() { ["x-opt-message-state"] = written } }), 1).State);

    [Theory]
    [InlineData(2, true)]
    [InlineData(0, false)]
    public void The_time_that_a_message_waits_for_is_told_while_it_waits(int state, bool isTold)
    {
        var time = DateTimeOffset.FromUnixTimeSeconds(1_700_000_000);
        var message = new AmqpMessage { MessageAnnotations = new() { ["x-opt-message-state"] = state, ["x-opt-scheduled-enqueue-time"] = AmqpTimestamp.From(time) } };

        Assert.Equal(isTold ? time : (DateTimeOffset?)null, Letter.Queued(Mail.Travel(message), 1).ScheduledFor);
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
        Assert.Equal(priority, Letter.Read(Mail.Travel(new AmqpMessage { ApplicationProperties = new() { ["holdfast-priority"] = written } }), 1).Priority);

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
        Assert.Equal("""{"at":2}""", Body(new ValueBody(new AmqpMap { ["at"] = new Described(1ul, 2) })));
        Assert.Equal("""{"0a0b":1,"2":2,"s":3}""", Body(new ValueBody(new AmqpMap { [new byte[] { 10, 11 }] = 1, [2L] = 2, [(Symbol)"s"] = 3 })));
    }

    [Fact]
    public void Properties_of_kinds_that_the_standard_has_no_place_for_are_lists_and_tables_that_anybody_can_show()
    {
        var properties = PropertyValues.Read(Mail.Travel(new AmqpMessage
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
    public void What_other_clients_call_a_time_or_an_address_is_known()
    {
        var properties = PropertyValues.Read(new ApplicationProperties
        {
            ["span"] = new Described((Symbol)"com.microsoft:timespan", 10L),
            ["uri"] = new Described((Symbol)"com.microsoft:uri", "https://one/"),
            ["time"] = new Described((Symbol)"com.microsoft:datetime-offset", Mail.Noon.UtcTicks),
            ["other"] = new Described((Symbol)"com.example:x", 7),
            ["symbol"] = (Symbol)"s",
        });

        Assert.Equal([TimeSpan.FromTicks(10), "https://one/", Mail.Noon, 7, "s"], properties.Values);
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
            var read = Letter.Read(Mail.Travel(new AmqpMessage { Properties = new() { MessageId = id, CorrelationId = id } }), 12);
            Assert.Equal(("sequence-12", null), (read.Id, read.CorrelationId));
        }

        Assert.Equal($"{Guid.Empty}", Letter.Read(Mail.Travel(new AmqpMessage { Properties = new() { MessageId = Guid.Empty } }), 12).Id);
        Assert.Equal("s", Letter.Read(Mail.Travel(new AmqpMessage { Properties = new() { MessageId = (Symbol)"s" } }), 12).Id);
    }

    private static string Body(MessageBody? body) => Encoding.UTF8.GetString(BodyBytes.Of(body).Span);
}
