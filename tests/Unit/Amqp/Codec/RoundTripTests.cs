using FsCheck;
using FsCheck.Fluent;
using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class RoundTripTests
{
    // What is written by chance may hold more elements without bytes than a peer may send.
    private static readonly AmqpLimits s_limits = AmqpLimits.Default with { MaxBytelessItems = int.MaxValue };

    private static readonly Arbitrary<int> s_seeds = Gen.Choose(0, int.MaxValue).ToArbitrary();

    [Fact]
    public void Any_value_comes_back_as_it_was() => Holds(1_500, static random =>
    {
        var value = new RandomValues(random).Next();
        using var writer = new AmqpWriter();
        writer.WriteValue(value);

        Assert.Equal(Shown.Of(value), Wire.Read(writer.ToArray(), s_limits));
    });

    [Fact]
    public void Any_value_is_skipped_as_far_as_it_reaches() => Holds(500, static random =>
    {
        using var writer = new AmqpWriter();
        writer.WriteValue(new RandomValues(random).Next());
        var reader = new AmqpReader(writer.Written, s_limits);

        reader.Skip();

        Assert.True(reader.IsAtEnd);
    });

    [Fact]
    public void Any_performative_comes_back_as_it_was() => Holds(1_500, static random =>
    {
        var performative = new RandomPerformatives(random).Next();
        using var writer = new AmqpWriter();
        AnyPerformative.Encode(performative, writer);
        var reader = new AmqpReader(writer.Written, s_limits);

        Assert.Equal(Shown.Of(performative), Shown.Of(AnyPerformative.Decode(ref reader)));
        Assert.True(reader.IsAtEnd);
    });

    [Fact]
    public void Any_message_comes_back_as_it_was() => Holds(1_000, static random =>
    {
        var message = new RandomPerformatives(random).Message();
        using var writer = new AmqpWriter();
        message.Encode(writer);

        Assert.Equal(Shown.Of(message), Shown.Of(AmqpMessage.Decode(writer.ToArray(), s_limits)));
    });

    private static void Holds(int times, Action<Random> property) =>
        Prop.ForAll(s_seeds, seed => property(new Random(seed))).Check(Config.QuickThrowOnFailure.WithMaxTest(times));
}
