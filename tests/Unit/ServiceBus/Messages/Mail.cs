using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Messages as they travel, and as a queue's receiver is given them.</summary>
internal sealed class Mail
{
    public static readonly DateTimeOffset Noon = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);
    private readonly VirtualTime _time = new();

    /// <summary>In half a minute.</summary>
    public AmqpTimestamp LockedUntil => AmqpTimestamp.From(_time.GetUtcNow().AddSeconds(30));

    /// <summary>What the broker says of the fifth message of a queue, and of its lock.</summary>
    public AmqpFields Locked() => new() { ["x-opt-sequence-number"] = 5L, ["x-opt-locked-until"] = LockedUntil };

    public ServiceBusDelivery Arrive(AmqpMessage message, string queue = "orders", Recollection? recollection = null) => Arrive(message, Open(queue, recollection));

    public ServiceBusDelivery Arrive(AmqpMessage message, Incoming incoming) => incoming.Read(message, Guid.NewGuid(), null, null, _time.GetTimestamp());

    public Incoming Open(string queue, Recollection? recollection = null)
    {
        var address = NamespaceAddress.OfHost("one");
        var problems = new Problems(address, new KeyTokens(new SharedAccessKey("me", "secret"), _time));
        return new Incoming(EntityName.Parse(queue), recollection ?? new Recollection(), problems, new BrokerClock(_time), _time);
    }

    public static AmqpMessage Travel(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return AmqpMessage.Decode(writer.ToArray());
    }
}
