using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Bench;

/// <summary>How fast the frames of the hot path are written and read, and what they leave to the garbage collector.</summary>
internal static class AmqpCodecCase
{
    private const int BodySize = 1024;
    private const int Tokens = 256;
    private const int MostForMessage = 1536;
    private const int MostForTokens = (Tokens * 16) + 1024;

    public static Case Case { get; } = new(
        "amqp-codec",
        "AMQP frames are written, and those without a payload read, without a byte allocated; what is read of a message or a request is hardly more than its own objects.",
        ["what", "bytes on the wire", "ns", "MB/s", "bytes allocated"],
        [
            new("transfer", scale => Measure(scale, $"a transfer with a message of {BodySize} bytes, 4 annotations, 2 properties", Transfer(), MostForMessage, ReadTransfer)),
            new("disposition", scale => Measure(scale, "a disposition of one delivery", WriteDisposition, mostToRead: 0, ReadDisposition)),
            new("renewal", scale => Measure(scale, $"a request with an array of {Tokens} uuids", Request(), MostForTokens, body => AmqpMessage.Decode(body))),
        ]);

    private static Outcome Measure(Scale scale, string what, Action<AmqpWriter> write, int mostToRead, Action<ReadOnlyMemory<byte>> read)
    {
        using var writer = new AmqpWriter();
        write(writer);
        var bytes = writer.ToArray();
        var times = scale.Pick(300_000, 3_000);
        var rounds = Interleaved.Run(
            2,
            scale.Pick(9, 1),
            () => Cost.OfEach(times, () => Repeat(times, () =>
            {
                writer.Reset();
                write(writer);
            })),
            () => Cost.OfEach(times, () => Repeat(times, () => read(bytes))));
        return new([Show($"write {what}", bytes.Length, rounds[0], most: 0), Show($"read {what}", bytes.Length, rounds[1], mostToRead)], $"{times:#,0} times a round");
    }

    private static void Repeat(int times, Action action)
    {
        for (var i = 0; i < times; i++)
            action();
    }

    private static Row Show(string what, int size, Cost[] rounds, int most)
    {
        var time = Reading.Median(rounds.Select(cost => cost.WallNanoseconds));
        var rate = Reading.Median(rounds.Select(cost => size / cost.WallNanoseconds * 1000));

        // Whole bytes: the fractions are what a round allocates once.
        var allocated = Math.Round(Reading.Median(rounds.Select(cost => cost.Bytes)).Value);
        return new([what, $"{size:#,0}", $"{time}", $"{rate}", Number.Show(allocated)], $"at most {most:#,0} bytes allocated", allocated <= most, IsRelative: true);
    }

    private static Action<AmqpWriter> Transfer()
    {
        var message = TypicalMessage.Make(BodySize);
        var tag = Guid.NewGuid().ToByteArray();
        return writer =>
        {
            var start = Frame.Begin(writer, FrameType.Amqp, channel: 1);
            new Transfer { Handle = 0, DeliveryId = 70_000, DeliveryTag = tag, MessageFormat = 0, Settled = false }.Encode(writer);
            message.Encode(writer);
            Frame.End(writer, start);
        };
    }

    private static void ReadTransfer(ReadOnlyMemory<byte> frame)
    {
        var header = FrameHeader.Read(frame.Span, AmqpLimits.Default.MaxFrameSize);
        var body = frame[header.BodyStart..header.Size];
        var reader = new AmqpReader(body.Span);
        reader.ReadDescriptor();
        Amqp.Transfer.Decode(ref reader);
        AmqpMessage.Decode(body[reader.Position..]);
    }

    private static void WriteDisposition(AmqpWriter writer)
    {
        var start = Frame.Begin(writer, FrameType.Amqp, channel: 1);
        new Disposition { Role = Role.Receiver, First = 70_000, Settled = true, State = Accepted.Instance }.Encode(writer);
        Frame.End(writer, start);
    }

    private static void ReadDisposition(ReadOnlyMemory<byte> frame)
    {
        var header = FrameHeader.Read(frame.Span, AmqpLimits.Default.MaxFrameSize);
        var reader = new AmqpReader(frame.Span[header.BodyStart..header.Size]);
        reader.ReadDescriptor();
        Disposition.Decode(ref reader);
    }

    private static Action<AmqpWriter> Request()
    {
        var request = new AmqpMessage
        {
            Properties = new MessageProperties { MessageId = "request-1", ReplyTo = "replies" },
            ApplicationProperties = new() { ["operation"] = "renew" },
            Body = new ValueBody(new AmqpMap { ["tokens"] = Enumerable.Range(0, Tokens).Select(_ => Guid.NewGuid()).ToArray() }),
        };
        return request.Encode;
    }
}
