using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Messages of which a part can't be read.</summary>
public sealed class UnreadableTests
{
    private readonly Mail _mail = new();

    [Fact]
    public void A_body_that_can_t_be_read_is_none_and_the_delivery_says_why()
    {
        var delivery = _mail.Arrive(new AmqpMessage
        {
            MessageAnnotations = _mail.Locked(),
            Properties = new() { MessageId = "order" },
            Body = new UnreadBody(default, "Values more than 32 deep within one another (at byte 9)"),
        });

        Assert.Equal(("order", 0), (delivery.Message.Id, delivery.Message.Body.Length));
        Assert.Equal("Its body can't be read: Values more than 32 deep within one another (at byte 9).", delivery.Unreadable);
        Assert.Equal(delivery.Unreadable, Letter.Swept(delivery).Unreadable);
        Assert.Equal(delivery.Unreadable, Letter.Queued(delivery.Original, 5).Unreadable);
        Assert.Null(_mail.Arrive(delivery.Original with { Body = new ValueBody(null) }).Unreadable);
    }

    [Fact]
    public void Properties_that_can_t_be_read_are_said_to_be_so_and_are_sent_on_as_they_came()
    {
        var letter = new AmqpMessage
        {
            MessageAnnotations = _mail.Locked(),
            Properties = new() { MessageId = "order" },
            ApplicationProperties = new UnreadProperties(new byte[] { 0, 0x53, 0x74, 0xc1, 7, 2, 0xa1, 1, 0x6b, 0xa1, 1, 0xff }, "A string that is not UTF-8 (at byte 11)") { ["DeadLetterReason"] = "unreadable" },
            Body = new DataBody("x"u8.ToArray()),
        };

        var delivery = _mail.Arrive(letter);

        Assert.Equal(("order", "Its properties can't be read: A string that is not UTF-8 (at byte 11)."), (delivery.Message.Id, delivery.Unreadable));
        Assert.Equal("unreadable", Letter.Swept(delivery).Reason);
        Assert.Same(letter.ApplicationProperties, Envelope.Replay(delivery, Mail.Noon).ApplicationProperties);
        Assert.IsType<UnreadProperties>(Mail.Travel(letter).ApplicationProperties);
    }

    [Fact]
    public void One_of_the_standard_s_own_properties_that_can_t_be_read_is_said_to_be_so_and_a_copy_has_a_name_and_a_life_of_its_own()
    {
        var letter = Mail.Travel(new AmqpMessage
        {
            MessageAnnotations = _mail.Locked(),
            Properties = new() { MessageId = new UnreadValue(NestedLists.Of(40)), Subject = "paid", CorrelationId = new UnreadValue(NestedLists.Of(40)), AbsoluteExpiryTime = AmqpTimestamp.From(Mail.Noon) },
            Body = new DataBody("x"u8.ToArray()),
        });

        var delivery = _mail.Arrive(letter);
        var copy = Mail.Travel(Envelope.Replay(delivery, Mail.Noon));

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
        var letter = Mail.Travel(new AmqpMessage
        {
            DeliveryAnnotations = new() { ["theirs"] = new UnreadValue(NestedLists.Of(40)) },
            MessageAnnotations = new()
            {
                ["mine"] = new UnreadValue(NestedLists.Of(40)),
                ["grün"] = 1,
                ["x-opt-sequence-number"] = 5L,
                ["x-opt-locked-until"] = _mail.LockedUntil,
            },
        });

        var delivery = _mail.Arrive(letter);
        var copy = Mail.Travel(Envelope.Later(delivery, default, Mail.Noon));

        Assert.Null(delivery.Unreadable);
        Assert.Equal((5L, 30), (delivery.SequenceNumber, delivery.LockDuration.TotalSeconds));
        Assert.Equal(["x-opt-scheduled-enqueue-time", "mine", "grün"], copy.MessageAnnotations!.Keys.Select(key => key.Value));
        Assert.Equal(NestedLists.Of(40), Assert.IsType<UnreadValue>(copy.MessageAnnotations["mine"]).Encoded.ToArray());
    }
}
