using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>A message such as a broker with locks delivers: header, annotations, properties, and a body of bytes.</summary>
internal static class TypicalMessage
{
    public static AmqpMessage Make(int bodySize) => new()
    {
        Header = new MessageHeader { Durable = true, DeliveryCount = 1 },
        MessageAnnotations = new(4)
        {
            ["x-opt-enqueued-time"] = new AmqpTimestamp(1_790_000_000_000),
            ["x-opt-sequence-number"] = 4_711L,
            ["x-opt-locked-until"] = new AmqpTimestamp(1_790_000_030_000),
            ["x-opt-message-state"] = 0,
        },
        Properties = new MessageProperties { MessageId = "1b4a6e1c-7d2a-4f0e-9a53-2a1f0f3c9d10", ContentType = "application/json", GroupId = "customer-17" },
        ApplicationProperties = new(2) { ["tenant"] = "north", ["attempt"] = 2 },
        Body = new DataBody(Body(bodySize)),
    };

    private static byte[] Body(int size)
    {
        var body = new byte[size];
        new Random(1).NextBytes(body);
        return body;
    }
}
