using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class MessageTests
{
    [Fact]
    public void A_message_is_laid_out_section_by_section()
    {
        Laid(
            "00 53 70 c0 09 05 41 50 09 52 64 41 52 02" +
            "00 53 71 c1 05 02 a3 01 'd' 41" +
            "00 53 72 c1 05 02 a3 01 'm' 43" +
            "00 53 73 c0 0c 05 a1 01 'i' 40 a1 01 't' 40 a1 01 'r'" +
            "00 53 74 c1 07 02 a1 01 'k' a1 01 'v'" +
            "00 53 75 a0 02 0102" +
            "00 53 78 c1 05 02 a3 01 'f' 42",
            new AmqpMessage
            {
                Header = new MessageHeader { Durable = true, Priority = 9, TimeToLive = 100, FirstAcquirer = true, DeliveryCount = 2 },
                DeliveryAnnotations = new() { ["d"] = true },
                MessageAnnotations = new() { ["m"] = 0u },
                Properties = new MessageProperties { MessageId = "i", To = "t", ReplyTo = "r" },
                ApplicationProperties = new() { ["k"] = "v" },
                Body = new DataBody(new byte[] { 1, 2 }),
                Footer = new() { ["f"] = false },
            });
        Laid("00 53 70 45", new AmqpMessage { Header = new MessageHeader() });
        Laid("00 53 77 40", new AmqpMessage { Body = new ValueBody(null) });
        Laid("00 53 77 a1 01 'x'", new AmqpMessage { Body = new ValueBody("x") });
        Laid("00 53 75 a0 01 01 00 53 75 a0 00", new AmqpMessage { Body = new DataBody(new byte[] { 1 }, ReadOnlyMemory<byte>.Empty) });
        Laid("00 53 76 c0 02 01 41 00 53 76 45", new AmqpMessage { Body = new SequenceBody(new object?[] { true }, Array.Empty<object?>()) });
        Laid(
            "00 53 73 c0 29 0d 53 07 a0 01 01 40 a1 01 's' 40 40 a3 01 'c' a3 01 'e' 83 0000000000000001 83 0000000000000002 a1 00 43 a1 00",
            new AmqpMessage
            {
                Properties = new MessageProperties
                {
                    MessageId = 7ul,
                    UserId = [1],
                    Subject = "s",
                    ContentType = "c",
                    ContentEncoding = "e",
                    AbsoluteExpiryTime = new(1),
                    CreationTime = new(2),
                    GroupId = "",
                    GroupSequence = 0,
                    ReplyToGroupId = "",
                },
            });
    }

    [Fact]
    public void Data_are_a_slice_of_the_payload_and_are_copied_only_to_be_joined()
    {
        var payload = Wire.Bytes("00 53 75 a0 02 0102 00 53 75 a0 01 03");

        var one = Assert.IsType<DataBody>(AmqpMessage.Decode(payload.AsMemory(0, 7)).Body).Bytes;
        var two = Assert.IsType<DataBody>(AmqpMessage.Decode(payload).Body).Bytes;
        payload[5] = 9;

        Assert.Equal("0902", Wire.Hex(one.Span));
        Assert.Equal("010203", Wire.Hex(two.Span));
    }

    [Fact]
    public void Data_are_joined_at_no_more_than_their_size()
    {
        var body = new DataBody(new byte[500_000], new byte[500_000]);
        _ = body.Bytes;

        Assert.InRange(Allocated.By(() => _ = body.Bytes), 1_000_000, 1_001_000);
    }

    [Fact]
    public void Nothing_at_all_is_a_message_without_sections() => Assert.Equal(new AmqpMessage(), AmqpMessage.Decode(ReadOnlyMemory<byte>.Empty));

    [Theory]
    [InlineData("00 53 70 45 00 53 70 45", "twice")]
    [InlineData("00 53 79 40", "unknown")]
    [InlineData("00 a3 01 'x' 40", "unknown")]
    [InlineData("00 53 73 45 00 53 78 c1 01 00 00 53 78 c1 01 00", "twice")]
    [InlineData("00 53 75 a0 01 07 00 53 78 c1 01 00 00 53 75 a0 01 08", "twice")]
    [InlineData("00 53 75 a0 01 07 00 53 71 c1 01 00 00 53 71 c1 01 00", "twice")]
    [InlineData("00 53 75 a0 01 07 00 53 71 c1 01 00 00 53 79 40", "unknown")]
    [InlineData("53 70", "described value is expected")]
    [InlineData("00 53 70 45 00 53 74 c1 09 02 43 41", "are left")]
    [InlineData("00 53 75 a0 00 00 53 78 c1 09 02 43 41", "are left")]
    public void What_is_no_message_is_kept_as_it_came_from_where_it_goes_wrong(string bytes, string why)
    {
        var payload = Wire.Bytes(bytes);

        var message = AmqpMessage.Decode(payload);

        Assert.Contains(why, Assert.IsType<UnreadBody>(message.Body).Problem, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(bytes.StartsWith("00 53 70", StringComparison.Ordinal), message.Header is not null);
        Assert.Equal(payload, Again(message));
    }

    [Theory]
    [InlineData("00 53 70 45 00 53 73 c0 04 01 a1 01 'i' 00 53 78 c1 05 02 a1 01 'f' 42 00 53 75 a0 01 07 00 53 75 a0 01 08", true)]
    [InlineData("00 53 70 45 00 53 73 c0 04 01 a1 01 'i' 00 53 75 a0 01 07 00 53 75 a0 01 08 00 53 78 c1 05 02 a3 01 'f' 42 00 53 71 c1 05 02 a3 01 'd' 42", true)]
    [InlineData("00 53 75 a0 01 07 00 53 75 a0 01 08 00 53 73 c0 04 01 a1 01 'i'", false)]
    public void A_message_is_read_in_whatever_order_its_sender_has_written_its_sections(string bytes, bool hasFooter)
    {
        var payload = Wire.Bytes(bytes);

        var message = AmqpMessage.Decode(payload);

        Assert.Equal("0708", Wire.Hex(Assert.IsType<DataBody>(message.Body).Bytes.Span));
        Assert.Equal("i", message.Properties!.MessageId);
        Assert.Equal(hasFooter ? false : null, message.Footer?["f"]);
        Assert.Equal(payload.Length, Again(message).Length);
    }

    [Theory]
    [InlineData("71", "c1 0c 04 a3 01 'k' a1 01 ff a3 01 'n' 55 05", "not UTF-8")]
    [InlineData("72", "c1 0c 04 a3 01 'k' a1 01 ff a3 01 'n' 55 05", "not UTF-8")]
    [InlineData("72", "c1 0a 04 a3 01 ff 41 a3 01 'n' 55 05", "not UTF-8")]
    [InlineData("72", "c1 08 04 43 41 a3 01 'n' 55 05", "as a key")]
    [InlineData("72", "c1 0e 06 a3 01 'k' 41 a3 01 'k' 42 a3 01 'n' 55 05", "that its map has already")]
    [InlineData("72", "c1 07 02 a3 01 'n' 55 05 40", "too many")]
    public void Annotations_that_can_t_be_read_are_kept_as_they_came_with_what_of_them_can(string section, string annotations, string why)
    {
        var payload = Wire.Bytes($"00 53 {section}" + annotations + "00 53 73 c0 04 01 a1 01 'i' 00 53 75 a0 01 07");

        var message = AmqpMessage.Decode(payload);

        var unread = Assert.IsType<UnreadFields>(message.DeliveryAnnotations ?? message.MessageAnnotations);
        Assert.Contains(why, unread.Problem, StringComparison.Ordinal);
        Assert.Equal(("i", 5L), (message.Properties!.MessageId, unread["n"]));
        Assert.Equal("07", Wire.Hex(Assert.IsType<DataBody>(message.Body).Bytes.Span));
        Assert.Equal(payload, Again(message));
    }

    [Fact]
    public void What_of_annotations_can_t_be_read_can_be_sent_on_by_itself_and_what_is_said_twice_counts_for_nothing()
    {
        byte[] deep = NestedLists.Of(40);
        using var writer = new AmqpWriter();
        new AmqpMessage { MessageAnnotations = new() { ["deep"] = new UnreadValue(deep), ["grün"] = 1 } }.Encode(writer);

        var fields = AmqpMessage.Decode(writer.ToArray()).MessageAnnotations!;
        var twice = AmqpMessage.Decode(Wire.Bytes("00 53 72 c1 09 04 a3 01 'k' 41 a3 01 'k' 42")).MessageAnnotations!;

        Assert.Equal(deep, Assert.IsType<UnreadValue>(fields["deep"]).Encoded.ToArray());
        Assert.Equal(1, fields["grün"]);
        Assert.IsType<UnreadValue>(twice["k"]);
    }

    [Fact]
    public void However_many_annotations_are_wrong_numbers_and_times_behind_them_are_found()
    {
        byte[] wrong = [.. Enumerable.Range(0, 40).SelectMany(n => new byte[] { 0xa3, 1, (byte)(0x30 + n), 0xa1, 1, 0xff })];
        byte[] right = [0xa3, 1, 0x2b, 0x83, 0, 0, 0, 0, 0, 0, 0, 9, 0xa3, 1, 0x2d, 0x55, 5];

        var message = AmqpMessage.Decode((byte[])[0x00, 0x53, 0x72, 0xd1, 0, 0, 1, (byte)(wrong.Length + right.Length + 4 - 256), 0, 0, 0, 84, .. wrong, .. right]);

        Assert.Equal((new AmqpTimestamp(9), 5L), (message.MessageAnnotations!["+"], message.MessageAnnotations["-"]));
        Assert.All(message.MessageAnnotations.Values.SkipLast(2), value => Assert.IsType<UnreadValue>(value));
    }

    [Theory]
    [InlineData("00 53 73 c0 12 0b a1 01 'i' 40 40 a1 01 ff 40 40 40 40 40 40 a1 01 's'", "not UTF-8")]
    [InlineData("00 53 73 c0 12 0b a1 01 'i' 40 40 40 40 40 a3 01 ff 40 40 40 a1 01 's'", "not ASCII")]
    [InlineData("00 53 73 c0 10 0b a1 01 'i' 40 43 40 40 40 40 40 40 40 a1 01 's'", "a string is expected")]
    public void A_property_that_can_t_be_read_is_kept_as_it_came_beside_those_that_can_and_may_be_replaced(string properties, string why)
    {
        var payload = Wire.Bytes("00 53 70 45" + properties + "00 53 75 a0 01 07");

        var message = AmqpMessage.Decode(payload);

        var read = message.Properties!;
        Assert.Contains(why, read.Unread!.Problem, StringComparison.Ordinal);
        Assert.Equal(("i", "s"), (read.MessageId, read.GroupId));
        Assert.IsType<DataBody>(message.Body);
        Assert.Equal(payload, Again(message));
        var renamed = AmqpMessage.Decode(Again(message with { Properties = read with { MessageId = "j" } })).Properties!;
        Assert.Equal(("j", "s"), (renamed.MessageId, renamed.GroupId));
        Assert.NotNull(renamed.Unread);
        Assert.Null(AmqpMessage.Decode(Again(message with { Properties = read with { To = "t", Subject = "s", ContentType = "c" } })).Properties!.Unread);
    }

    [Theory]
    [InlineData("00 53 73 a1 01 'x'", "a list is expected")]
    [InlineData("00 53 73 c0 05 01 a1 01 'i' 40", "too many")]
    [InlineData("00 53 73 c0 02 02 40", "2 items in 1 bytes")]
    public void Properties_that_can_t_be_told_from_one_another_are_all_kept_as_they_came(string properties, string why)
    {
        var payload = Wire.Bytes(properties + "00 53 75 a0 01 07");

        var message = AmqpMessage.Decode(payload);

        Assert.Contains(why, message.Properties!.Unread!.Problem, StringComparison.Ordinal);
        Assert.Null(message.Properties.MessageId);
        Assert.IsType<DataBody>(message.Body);
        Assert.Equal(payload, Again(message));
    }

    [Theory]
    [InlineData("00 53 70 c0 06 05 41 43 40 40 43", "a ubyte is expected", true)]
    [InlineData("00 53 70 c0 02 01 43", "a boolean is expected", false)]
    [InlineData("00 53 70 40", "a list is expected", false)]
    public void Nor_does_a_header_that_can_t_be_read_cost_more_than_itself(string header, string why, bool isDurable)
    {
        var payload = Wire.Bytes(header + "00 53 75 a0 01 07");

        var message = AmqpMessage.Decode(payload);

        Assert.Contains(why, message.Header!.Unread!.Problem, StringComparison.Ordinal);
        Assert.Equal(isDurable, message.Header.Durable);
        Assert.IsType<DataBody>(message.Body);
    }

    [Theory]
    [InlineData("00 53 75 a1 00", "a binary value is expected")]
    [InlineData("00 53 76 40", "a list is expected")]
    [InlineData("00 53 76 45 00 53 76 40", "a list is expected")]
    [InlineData("00 53 77 a1 01 ff", "not UTF-8")]
    [InlineData("00 53 77 c1 07 04 54 01 40 54 01 40", "that its map has already")]
    [InlineData("00 53 77 c0 02 02 40", "2 items in 1 bytes")]
    [InlineData("00 53 75 a0 00 00 53 77 40", "do not go together")]
    [InlineData("00 53 77 40 00 53 77 40", "do not go together")]
    public void A_body_that_can_t_be_read_is_kept_as_it_came_and_costs_no_more_than_itself(string body, string why)
    {
        var payload = Wire.Bytes("00 53 74 c1 07 02 a1 01 'k' a1 01 'v'" + body + "00 53 78 c1 05 02 a3 01 'f' 42");

        var message = AmqpMessage.Decode(payload);

        Assert.Contains(why, Assert.IsType<UnreadBody>(message.Body).Problem, StringComparison.Ordinal);
        Assert.Equal(("v", false), (message.ApplicationProperties!["k"], message.Footer!["f"]));
        Assert.Equal(payload, Again(message));
    }

    [Theory]
    [InlineData("00 53 77", "ends where a value")]
    [InlineData("00 53 77 c0 05 01 40", "are left")]
    [InlineData("00 53 77 30", "0x30 where a value")]
    public void One_whose_end_can_t_be_told_is_all_that_is_left(string body, string why)
    {
        var payload = Wire.Bytes("00 53 74 c1 07 02 a1 01 'k' a1 01 'v'" + body);

        var message = AmqpMessage.Decode(payload);

        Assert.Contains(why, Assert.IsType<UnreadBody>(message.Body).Problem, StringComparison.OrdinalIgnoreCase);
        Assert.Equal("v", message.ApplicationProperties!["k"]);
        Assert.Equal(payload, Again(message));
    }

    [Theory]
    [InlineData("c1 0d 04 a1 01 'k' a1 01 ff a1 01 'r' a1 01 'w'", "not UTF-8")]
    [InlineData("c1 0f 06 a1 01 'r' a1 01 'w' a1 01 'k' 41 a1 01 'k' 42", "that its map has already")]
    [InlineData("c1 0d 04 a1 01 'k' a3 01 ff a1 01 'r' a1 01 'w'", "not ASCII")]
    [InlineData("c1 09 04 43 41 a1 01 'r' a1 01 'w'", "as a key")]
    public void Properties_that_can_t_be_read_are_kept_as_they_came_with_what_of_them_can(string properties, string why)
    {
        var payload = Wire.Bytes("00 53 73 c0 04 01 a1 01 'i' 00 53 74" + properties + "00 53 75 a0 01 07 00 53 78 c1 05 02 a3 01 'f' 42");

        var message = AmqpMessage.Decode(payload);

        var unread = Assert.IsType<UnreadProperties>(message.ApplicationProperties);
        Assert.Contains(why, unread.Problem, StringComparison.Ordinal);
        Assert.Equal(("i", "w", false), (message.Properties!.MessageId, unread["r"], message.Footer!["f"]));
        Assert.Equal(payload, Again(message));
    }

    [Fact]
    public void However_much_of_properties_is_wrong_they_cost_little()
    {
        byte[] pair = [0xa1, 1, 0x6b, 0xa1, 1, 0xff];
        byte[] pairs = [.. Enumerable.Repeat(pair, 40).SelectMany(one => one)];

        var message = AmqpMessage.Decode((byte[])[0x00, 0x53, 0x74, 0xc1, (byte)(pairs.Length + 1), 80, .. pairs]);

        Assert.Empty(Assert.IsType<UnreadProperties>(message.ApplicationProperties));
    }

    [Theory]
    [InlineData("c1 07 02 a3 01 'f' a1 01 ff")]
    [InlineData("c1 09 04 a3 01 'f' 41 a3 01 'f' 42")]
    [InlineData("a1 01 'f'")]
    public void A_footer_that_can_t_be_read_is_kept_as_it_came(string footer)
    {
        var payload = Wire.Bytes("00 53 75 a0 01 07 00 53 78" + footer);

        var message = AmqpMessage.Decode(payload);

        Assert.NotEmpty(Assert.IsType<UnreadFields>(message.Footer).Problem);
        Assert.Equal(payload, Again(message));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void However_deep_a_body_goes_its_message_can_be_read(bool isDescribed)
    {
        const int Depth = 50_000;
        byte[] body = isDescribed
            ? [.. Enumerable.Repeat<byte[]>([0x00, 0x44], Depth).SelectMany(one => one), 0x40]
            : NestedLists.Of(Depth);

        var message = AmqpMessage.Decode((byte[])[0x00, 0x53, 0x77, .. body]);

        Assert.Contains("deep", Assert.IsType<UnreadBody>(message.Body).Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_typical_message_costs_little_more_than_what_it_is_turned_into()
    {
        var message = TypicalMessage.Make(bodySize: 1024);
        using var writer = new AmqpWriter();
        message.Encode(writer);
        var payload = writer.ToArray();

        Assert.InRange(Allocated.By(() => AmqpMessage.Decode(payload)), 1, 1536);
        Assert.InRange(
            Allocated.By(() =>
            {
                writer.Reset();
                message.Encode(writer);
            }),
            0,
            256);
    }

    private static byte[] Again(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return writer.ToArray();
    }

    private static void Laid(string bytes, AmqpMessage message)
    {
        Assert.Equal(Wire.Hex(Wire.Bytes(bytes)), Wire.Written(message.Encode));
        Assert.Equal(Shown.Of(message), Shown.Of(AmqpMessage.Decode(Wire.Bytes(bytes))));
    }
}
