using System.Diagnostics;
using Holdfast.Tests.Worlds;
using Holdfast.Virtual;
namespace Holdfast.Tests.Simulation;
public sealed class Try
{
    [Fact]
    public void Some()
    {
        using var carriers = new Carriers();
        var first = int.Parse(Environment.GetEnvironmentVariable("FIRST") ?? "1");
        var count = int.Parse(Environment.GetEnvironmentVariable("COUNT") ?? "200");
        var clock = Stopwatch.StartNew();
        long events = 0; double time = 0; int bad = 0;
        var rules = new Dictionary<string, int>();
        for (var seed = first; seed < first + count; seed++)
        {
            var outcome = Simulator.Play(Planner.Plan(seed), carriers);
            events += outcome.Events.Count; if (outcome.Events.Count > 0) time += outcome.Events[^1].Time.TotalSeconds;
            if (outcome.Violations.Count > 0)
            {
                foreach (var v in outcome.Violations.Select(v => v.Rule).Distinct()) rules[v] = rules.GetValueOrDefault(v) + 1;
                if (bad++ < 12) Console.WriteLine($"seed {seed}: {outcome.Violations.Count} {outcome.Violations[0]}");
                if (count == 1) foreach (var e in outcome.Events) Console.WriteLine(e);
                if (count == 1) Console.WriteLine(string.Join("\n", outcome.Violations));
            }
        }
        Console.WriteLine($"{count} worlds, {bad} bad, {count / clock.Elapsed.TotalSeconds:0} a second, {events / count} events, {time / count:0.0} s each");
        foreach (var r in rules) Console.WriteLine(r);
    }
}
