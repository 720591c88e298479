using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

/// <summary>Any performative, written and read.</summary>
internal static class Performatives
{
    public static void Encode(object performative, AmqpWriter writer)
    {
        Action<AmqpWriter> encode = performative switch
        {
            Open open => open.Encode,
            Begin begin => begin.Encode,
            Attach attach => attach.Encode,
            Flow flow => flow.Encode,
            Transfer transfer => transfer.Encode,
            Disposition disposition => disposition.Encode,
            Detach detach => detach.Encode,
            End end => end.Encode,
            Close close => close.Encode,
            SaslMechanisms mechanisms => mechanisms.Encode,
            SaslInit init => init.Encode,
            SaslChallenge challenge => challenge.Encode,
            SaslOutcome outcome => outcome.Encode,
            _ => throw new ArgumentException($"{performative} is no performative.", nameof(performative)),
        };
        encode(writer);
    }

    public static object Decode(ref AmqpReader reader) => reader.ReadDescriptor() switch
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
        Descriptor.SaslInit => SaslInit.Decode(ref reader),
        var other => throw new ArgumentException($"Nobody expects {other:x2}."),
    };
}
