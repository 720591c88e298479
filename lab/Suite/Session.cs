using System.Diagnostics;
using Spectre.Console;

namespace Holdfast.Lab;

/// <summary>One call of the program: runs what was ordered, one experiment after the other, shows and publishes what each found.</summary>
internal sealed class Session(IAnsiConsole console, TextWriter error)
{
    public async Task<int> RunAsync(Order order, CancellationToken cancel)
    {
        var start = Stopwatch.GetTimestamp();
        var exitCode = ExitCode.Ran;
        foreach (var experiment in order.Experiments)
        {
            try
            {
                await RunAsync(experiment, order, cancel);
            }
            catch (OperationCanceledException) when (cancel.IsCancellationRequested)
            {
                error.WriteLine($"Stopped. Nothing of {experiment.Name} was written.");
                return ExitCode.Interrupted;
            }
            catch (Exception problem)
            {
                error.WriteLine($"{experiment.Name} broke: {problem.Message.ReplaceLineEndings(" ")}");
                exitCode = ExitCode.Broke;
            }
        }

        console.MarkupLineInterpolated($"[grey]All in {Stopwatch.GetElapsedTime(start):m\\:ss} minutes.[/]");
        return exitCode;
    }

    private async Task RunAsync(IExperiment experiment, Order order, CancellationToken cancel)
    {
        var surroundings = new Surroundings();
        var start = Stopwatch.GetTimestamp();
        var found = await ProgressBar.ShowAsync(console, experiment.Name, progress => Task.Run(() => experiment.RunAsync(order.Scope, progress, cancel), cancel).WaitAsync(cancel));
        var report = found with { Notes = [.. found.Notes, .. Notes(experiment, order.Scope, surroundings, Stopwatch.GetElapsedTime(start))] };

        cancel.ThrowIfCancellationRequested();
        if (order.Folder is { } folder)
            new Publication(folder).Write(experiment, report);
        TerminalReport.Write(console, experiment, report);
    }

    private static IEnumerable<string> Notes(IExperiment experiment, Scope scope, Surroundings surroundings, TimeSpan took)
    {
        if (surroundings.OtherCpus() is { } others)
            yield return $"Meanwhile {Surroundings.Describe(others)}.";
        yield return $"It took {Number.Show(took.TotalSeconds)} s. {MarkdownPage.Provenance($"dotnet run -c Release --project lab -- {experiment.Name}{scope.Options}")}";
    }
}
