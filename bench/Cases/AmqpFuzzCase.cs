using System.Diagnostics;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Bench;

/// <summary>Whether anything that a peer may send harms what reads it.</summary>
internal static class AmqpFuzzCase
{
    private const int Inputs = 6_000_000;
    private const int Seeds = 12;

    public static Case Case { get; } = new(
        "amqp-fuzz",
        $"of {Inputs:#,0} spoilt AMQP values, performatives, messages and streams of frames each is read, or refused as what it is, in memory bounded by its length.",
        ["what", "inputs", "MB", "refused", "inputs a second", "most bytes allocated for one, and its length"],
        [.. Enumerable.Range(1, Seeds).Select(seed => new Part($"seed {seed}", scale => Measure(scale, seed)))]);

    private static Outcome Measure(Scale scale, int seed)
    {
        var fuzz = new Fuzz(seed);
        var start = Stopwatch.GetTimestamp();
        FuzzFailure? failure = null;
        try
        {
            fuzz.Run(scale.Pick(Inputs / Seeds, 2_000));
        }
        catch (FuzzFailure found)
        {
            failure = found;
        }

        var rate = fuzz.Inputs / Stopwatch.GetElapsedTime(start).TotalSeconds;
        var refused = 100.0 * fuzz.Refused / fuzz.Inputs;
        string[] cells = [$"seed {seed}", $"{fuzz.Inputs:#,0}", Number.Show(fuzz.Bytes / 1e6), $"{refused:0} %", Number.Show(rate), $"{fuzz.Dearest.Allocated:#,0} for {fuzz.Dearest.Length:#,0}"];
        return new([new(cells, "all read or refused", failure is null, IsRelative: true)], failure?.ToString() ?? "no input harmed it");
    }
}
