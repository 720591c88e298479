using Holdfast.Lab.Inline;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Lab.Inline;

/// <summary>What the report says of chains, but for their times.</summary>
public sealed class ChainTests
{
    private const int Links = 200_000;
    private const double MostKilobytes = 64;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_long_chain_on_the_pool_comes_to_its_end(bool inPlace)
    {
        Chain.Continued(Links, null, inPlace);
        Chain.Awaited(Links, null, inPlace);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_long_chain_on_a_lane_needs_hardly_any_stack(bool inPlace)
    {
        using var lanes = new LaneScheduler(new LaneSchedulerOptions(), TimeProvider.System);

        Assert.InRange(Chain.Continued(Links, lanes.NewStrand(0, "chain"), inPlace).Kilobytes, 0, MostKilobytes);
        Assert.InRange(Chain.Awaited(Links, lanes.NewStrand(0, "chain"), inPlace).Kilobytes, 0, MostKilobytes);
    }
}
