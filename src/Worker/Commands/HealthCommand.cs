using System.CommandLine;
using Holdfast.Consumer;
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
        var json = CommonOptions.Json();
        command.Add(json);
        command.SetAction((parsed, cancel) => RunAsync(bench, new Screen(bench, parsed.GetValue(json)), cancel));
        return command;
    }

    private static async Task<int> RunAsync(Workbench bench, Screen screen, CancellationToken cancel)
    {
        string address;
        try
        {
            address = Address(bench.Configuration());
        }
        catch (InvalidOptionsException wrong)
        {
            return screen.Refuse(wrong);
        }

        // What is on this machine is no proxy's to reach.
        using var client = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { Timeout = s_patience };
        try
        {
            using var answer = await client.GetAsync(address, cancel);
            var verdict = await answer.Content.ReadFromJsonAsync<HealthVerdict>(cancel);
            screen.Outcome(verdict!, Printable.OneLine(verdict!.Reason));
            return verdict.Healthy ? ExitCode.Stopped : ExitCode.Failed;
        }
        catch (Exception problem)
        {
            screen.Fail($"No worker answers at {address}: {problem.Message}");
            return ExitCode.Failed;
        }
    }

    // The other settings are the worker's to judge.
    private static string Address(IConfiguration configuration)
    {
        OptionError[] wrong = [.. ManagementPort.Broken(configuration)];
        return wrong is [] ? $"{ManagementPort.Address(configuration)}/health/ready" : throw new InvalidOptionsException(wrong);
    }
}
