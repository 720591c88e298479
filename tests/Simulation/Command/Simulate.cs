using System.Diagnostics;
using Holdfast.Tests.Worlds;
using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation.Command;

/// <summary>The command for long runs, and for looking at one world.</summary>
internal static class Simulate
{
    private const int WrongArguments = 2;
    private const int MostTold = 5;
    private static readonly TimeSpan s_progressEvery = TimeSpan.FromSeconds(2);

    public static int Run(ReadOnlySpan<string> arguments)
    {
        try
        {
            var options = SimulateOptions.Parse(arguments);
            return options.Seed is { } seed ? PlayOne(seed) : PlayMany(options);
        }
        catch (ArgumentException wrong)
        {
            Console.Error.WriteLine(wrong.Message);
            Console.Error.WriteLine(SimulateOptions.Help);
            return WrongArguments;
        }
    }

    private static int PlayOne(int seed)
    {
        using var carriers = new Carriers();
        var outcome = Simulator.Play(Planner.Plan(seed), carriers);
        if (outcome.Violations.Count > 0)
            TellBroken(outcome, carriers);
        else
            Console.Write(Story.Tell(outcome) + $"\nAll rules hold in the world of seed {seed}: {outcome.Events.Count} events in {outcome.Events[^1].Time.TotalSeconds:0.0} s of its time.\n");
        return outcome.Violations.Count > 0 ? 1 : 0;
    }

    private static int PlayMany(SimulateOptions options)
    {
        var campaign = new Campaign(options.From, options.Seeds);
        using var stop = new CancellationTokenSource();
        ConsoleCancelEventHandler onCancel = (_, pressed) =>
        {
            pressed.Cancel = true;
            stop.Cancel();
        };
        Console.CancelKeyPress += onCancel;
        var clock = Stopwatch.StartNew();
        using (var progress = new Timer(_ => Tell(campaign, clock.Elapsed), null, s_progressEvery, s_progressEvery))
        {
            Console.WriteLine($"Worlds from seed {options.From} on; Ctrl-C ends it.");
            campaign.Run(Environment.ProcessorCount, outcome => OnBroken(campaign, outcome), stop.Token);
        }

        Console.CancelKeyPress -= onCancel;
        Tell(campaign, clock.Elapsed);
        return campaign.Broken > 0 ? 1 : 0;
    }

    private static void Tell(Campaign campaign, TimeSpan elapsed) =>
        Console.WriteLine($"{campaign.Played:#,0} worlds, {campaign.Played / elapsed.TotalSeconds:#,0} a second, {campaign.Events:#,0} events, {campaign.Broken:#,0} broken");

    private static void OnBroken(Campaign campaign, Outcome outcome)
    {
        if (campaign.Broken > MostTold)
            return;
        using var carriers = new Carriers();
        TellBroken(outcome, carriers);
    }

    // The least of a large world takes its time to be found.
    private static void TellBroken(Outcome outcome, Carriers carriers)
    {
        Console.WriteLine($"The world of seed {outcome.Plan.Seed} breaks a rule. The least of it that still does is being looked for.");
        Console.Write(Report.Of(outcome, carriers));
    }
}
