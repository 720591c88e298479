namespace Holdfast.Amqp;

/// <summary>What has become of a delivery, or how far it has come.</summary>
public abstract record DeliveryState
{
    internal abstract void Encode(AmqpWriter writer);

    internal static DeliveryState Decode(ref AmqpReader reader)
    {
        var start = reader;
        switch (reader.ReadDescriptor())
        {
            case Descriptor.Accepted:
                Accepted.Decode(ref reader);
                return Accepted.Instance;
            case Descriptor.Released:
                Released.Decode(ref reader);
                return Released.Instance;
            case Descriptor.Rejected:
                return Rejected.Decode(ref reader);
            case Descriptor.Modified:
                return Modified.Decode(ref reader);
            case Descriptor.Received:
                return Received.Decode(ref reader);
            default:
                reader = start;
                return new UnknownState(reader.ReadDescribed());
        }
    }
}
