using System.CommandLine;
using System.Runtime.CompilerServices;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Commands;

/// <summary>Says what will go wrong when the worker runs with these settings: on this machine, and at its broker.</summary>
internal static class CheckCommand
{
    public static Command Create(Workbench bench) => Job.Define(
        bench,
        new Command("check", "Connect, and check settings, permissions, queues and clock. It takes no message."),
        (job, _, cancel) => RunAsync(job, cancel));

    private static async Task<int> RunAsync(Job job, CancellationToken cancel)
    {
        var hasErrors = false;
        HashSet<Finding> told = [];
        await foreach (var finding in FindingsAsync(job, cancel))
        {
            // What holds of the whole broker is found again with each queue.
            if (!told.Add(finding))
                continue;
            job.Screen.Data(new { severity = finding.Severity, text = finding.Text });
            job.Screen.Line($"{Word(finding.Severity),-8} {Printable.OneLine(finding.Text)}");
            hasErrors |= finding.Severity == Severity.Error;
        }

        return hasErrors ? ExitCode.Failed : ExitCode.Stopped;
    }

    private static async IAsyncEnumerable<Finding> FindingsAsync(Job job, [EnumeratorCancellation] CancellationToken cancel)
    {
        Finding[] wrong = [.. Settings(job)];
        foreach (var finding in wrong)
            yield return finding;
        if (wrong.Length > 0)
            yield break;

        yield return Finding.Ok("The settings can be.");
        foreach (var finding in MachineFindings.Of(job.Settings))
            yield return finding;
        foreach (var variable in job.Settings.Otel.WithoutEffect)
            yield return Finding.Warning($"{variable} is set, and has no effect here; leave it out, if it is not meant for others.");
        if (job.Settings.Worker.Uses("InMemory"))
        {
            yield return Finding.Warning("The embedded broker forgets all messages when the worker ends; set Worker__Broker=RabbitMq or ServiceBus to keep them.");
            yield break;
        }

        await using var desk = job.OpenDesk();
        foreach (var (name, options) in job.Queues)
        {
            await foreach (var finding in desk.CheckAsync(name, options.Retry.MaxDeliveries, cancel))
                yield return finding;
        }
    }

    private static IEnumerable<Finding> Settings(Job job)
    {
        try
        {
            job.CheckForWorker();
            return Hosting.Idempotency.Broken(job.Settings.Worker.Idempotency).Select(error => Finding.Error(Run.Line(error)));
        }
        catch (InvalidOptionsException wrong)
        {
            return wrong.Errors.Select(error => Finding.Error(Run.Line(error)));
        }
    }

    private static string Word(Severity severity) => severity switch
    {
        Severity.Ok => "ok",
        Severity.Warning => "warning",
        _ => "error",
    };
}
