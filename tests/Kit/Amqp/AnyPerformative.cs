using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Writes and reads performatives of whatever kind.</summary>
internal static class AnyPerformative
{
    public static void Encode(object performative, AmqpWriter writer)
    {
        switch (performative)
        {
            case Open one:
                one.Encode(writer);
                break;
            case Begin one:
                one.Encode(writer);
                break;
            case Attach one:
                one.Encode(writer);
                break;
            case Flow one:
                one.Encode(writer);
                break;
            case Transfer one:
                one.Encode(writer);
                break;
            case Disposition one:
                one.Encode(writer);
                break;
            case Detach one:
                one.Encode(writer);
                break;
            case End one:
                one.Encode(writer);
                break;
            case Close one:
                one.Encode(writer);
                break;
            case SaslMechanisms one:
                one.Encode(writer);
                break;
            case SaslInit one:
                one.Encode(writer);
                break;
            case SaslChallenge one:
                one.Encode(writer);
                break;
            case SaslOutcome one:
                one.Encode(writer);
                break;
            default:
                throw new ArgumentException($"{performative.GetType().Name} is no performative.");
        }
    }

    public static object Decode(ref AmqpReader reader)
    {
        var position = reader.Position;
        return reader.ReadDescriptor() switch
        {
            Descriptor.Open => Open.Decode(ref reader),
            Descriptor.Begin => Begin.Decode(ref reader),
            Descriptor.Attach => Attach.Decode(ref reader),
            Descriptor.Flow => Flow.Decode(ref reader),
            Descriptor.Transfer => Transfer.Decode(ref reader),
            Descriptor.Disposition => Disposition.Decode(ref reader),
            Descriptor.Detach => Detach.Decode(ref reader),
            Descriptor.End => End.Decode(ref reader),
            Descriptor.Close => Close.Decode(ref reader),
            Descriptor.SaslMechanisms => SaslMechanisms.Decode(ref reader),
            Descriptor.SaslInit => SaslInit.Decode(ref reader),
            Descriptor.SaslChallenge => SaslChallenge.Decode(ref reader),
            Descriptor.SaslOutcome => SaslOutcome.Decode(ref reader),
            _ => throw new AmqpDecodeException("No performative", position),
        };
    }
}
