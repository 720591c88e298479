using Holdfast.Tests.Worlds;

namespace Holdfast.Bench;

/// <summary>How many simulated worlds the real engine lives through in a second, played one after the other.</summary>
internal static class SimulationCase
{
    private const int LeastRate = 500;
    private const int FirstSeed = 1;

    public static Case Case { get; } = new(
        "simulation",
        $"at least {LeastRate} simulated worlds are played and judged in a second, on no more than one core.",
        ["what", "Holdfast"],
        [new("worlds, one after the other", Measure)]);

    private static Outcome Measure(Scale scale)
    {
        var worlds = scale.Pick(2000, 100);
        var broken = 0L;
        var events = 0L;
        var rounds = Interleaved.Run(1, scale.Pick(5, 1), () => Cost.OfEach(worlds, () =>
        {
            var campaign = new Campaign(FirstSeed, worlds);
            campaign.Run(threads: 1, onBroken: static _ => { }, CancellationToken.None);
            (broken, events) = (campaign.Broken, campaign.Events);
        }));

        var rate = Reading.Median(rounds[0].Select(cost => 1e9 / cost.WallNanoseconds));
        var cores = Reading.Median(rounds[0].Select(cost => cost.CpuNanoseconds / cost.WallNanoseconds));
        return new(
            [
                new(["worlds a second", $"{rate}"], $"at least {LeastRate}", rate.Value >= LeastRate),
                new(["cores busy meanwhile", $"{cores}"]),
                new(["worlds that break a rule", $"{broken}"], "none", broken == 0),
            ],
            $"{worlds:#,0} worlds a round, of {events / worlds:#,0} events each");
    }
}
