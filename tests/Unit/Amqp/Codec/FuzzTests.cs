using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

/// <summary>What others' listeners allocate when they are told of an exception would count here.</summary>
[Collection(nameof(Alone))]
public sealed class FuzzTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(1)]
    [InlineData(20_261_121)]
    public void Whatever_bytes_come_are_read_or_refused_and_cost_memory_in_proportion(int seed)
    {
        var fuzz = new Fuzz(seed);

        fuzz.Run(40_000);

        output.WriteLine($"seed {seed}: {fuzz.Inputs} inputs, {fuzz.Refused} refused; the dearest, of {fuzz.Dearest.Length} bytes, took {fuzz.Dearest.Allocated}");
        Assert.InRange(fuzz.Refused, fuzz.Inputs / 4, fuzz.Inputs - 1);
    }
}
