using System.CommandLine;
using Holdfast.Worker.Health;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Commands;

/// <summary>Asks the worker that runs beside it whether it is ready: what a container without a shell has for a health check.</summary>
internal static class HealthCommand
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    public static Command Create(Workbench bench)
    {
        var command = new Command("health", "Ask the worker that runs on this machine, or in this container, whether it is ready.");
        command.SetAction((_, cancel) => RunAsync(bench, cancel));
        return command;
    }

    private static async Task<int> RunAsync(Workbench bench, CancellationToken cancel)
    {
        var address = $"{ManagementPort.Address(bench.Configuration)}/health/ready";
        using var client = new HttpClient { Timeout = s_patience };
        try
        {
            using var answer = await client.GetAsync(address, cancel);
            var verdict = await answer.Content.ReadFromJsonAsync<Verdict>(cancel);
            bench.Output.WriteLine(Printable.OneLine(verdict!.Reason));
            return verdict.Healthy ? ExitCode.Stopped : ExitCode.Failed;
        }
        catch (Exception problem)
        {
            bench.Error.WriteLine($"No worker answers at {address}: {Printable.OneLine(problem.Message)}");
            return ExitCode.Failed;
        }
    }
}
