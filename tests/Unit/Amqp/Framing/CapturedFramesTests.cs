using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class CapturedFramesTests
{
    [Fact]
    public void What_other_engines_say_to_one_another_is_read_to_the_last_byte_and_is_the_same_when_we_say_it()
    {
        var kinds = new HashSet<string>();
        using var frames = new FrameReader(AmqpLimits.Default);
        foreach (var captured in CapturedFrames.All)
        {
            captured.CopyTo(frames.Room());
            frames.Advance(captured.Length);
            Assert.True(frames.TryReadFrame(out var frame));
            var reader = new AmqpReader(frame.Body.Span);
            var performative = AnyPerformative.Decode(ref reader);
            kinds.Add(performative.GetType().Name);
            Assert.Equal(Shown.Of(performative), Shown.Of(Again(performative)));

            var payload = frame.Body[reader.Position..];
            if (performative is not Transfer)
                Assert.True(payload.IsEmpty);
            else
                Assert.Equal(Shown.Of(AmqpMessage.Decode(payload)), Shown.Of(AmqpMessage.Decode(Again(AmqpMessage.Decode(payload)))));
        }

        Assert.Equal(
            ["Attach", "Begin", "Close", "Detach", "Disposition", "End", "Flow", "Open", "SaslInit", "SaslMechanisms", "SaslOutcome", "Transfer"],
            kinds.Order());
    }

    [Fact]
    public void A_delivery_that_another_engine_wrote_has_all_that_its_sender_and_its_broker_said()
    {
        var delivery = Messages().First(message => message.Properties?.MessageId is "m1" && message.MessageAnnotations?.ContainsKey("x-opt-locked-until") == true);

        Assert.Equal("s", delivery.Properties!.Subject);
        Assert.Equal(new Symbol("text/plain"), delivery.Properties.ContentType);
        Assert.IsType<AmqpTimestamp>(delivery.MessageAnnotations!["x-opt-locked-until"]);
        Assert.Equal(1L, delivery.MessageAnnotations["x-opt-sequence-number"]);
        Assert.Equal(1.5, delivery.ApplicationProperties!["number"]);
        Assert.Equal(new AmqpTimestamp(0), delivery.ApplicationProperties["when"]);
        Assert.Equal("hello"u8, Assert.IsType<DataBody>(delivery.Body).Bytes.Span);
    }

    private static IEnumerable<AmqpMessage> Messages()
    {
        foreach (var captured in CapturedFrames.All)
        {
            var body = captured.AsMemory(FrameHeader.Length);
            if (PayloadOf(body) is { IsEmpty: false } payload)
                yield return AmqpMessage.Decode(payload);
        }
    }

    private static ReadOnlyMemory<byte> PayloadOf(ReadOnlyMemory<byte> body)
    {
        var reader = new AmqpReader(body.Span);
        AnyPerformative.Decode(ref reader);
        return body[reader.Position..];
    }

    private static object Again(object performative)
    {
        using var writer = new AmqpWriter();
        AnyPerformative.Encode(performative, writer);
        var reader = new AmqpReader(writer.Written);
        return AnyPerformative.Decode(ref reader);
    }

    private static byte[] Again(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return writer.ToArray();
    }
}
