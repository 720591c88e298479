using Holdfast.Consumer;
using Holdfast.Worker.Management;
using Holdfast.Worker.Otlp;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Hosting;

/// <summary>Runs the worker to its end, and says in a line what kept it from running.</summary>
internal static class Run
{
    public static async Task<int> ToEndAsync(TextWriter error)
    {
        using var signals = new StopSignals();
        try
        {
            return Outcome(await ToEndAsync(WorkerHost.Build(), signals.Asked), error);
        }
        catch (Exception e)
        {
            return Explain(e, error);
        }
    }

    public static int Outcome(EngineStatus status, TextWriter error)
    {
        if (status.Fault is null)
            return ExitCode.Stopped;
        error.WriteLine($"Holdfast had to stop: {Printable.OneLine(status.Fault)}");
        return ExitCode.Failed;
    }

    public static int Explain(Exception problem, TextWriter error)
    {
        switch (problem)
        {
            case InvalidOptionsException { Errors: var errors }:
                foreach (var wrong in errors)
                    error.WriteLine(Line(wrong));
                return ExitCode.Misconfigured;
            default:
                error.WriteLine($"Holdfast can't run: {Printable.OneLine(problem.Message)}");
                return ExitCode.Failed;
        }
    }

    /// <summary>What is wrong with a setting, as a person reads it.</summary>
    public static string Line(OptionError wrong) => $"{FullName(wrong.Setting)}: {Printable.OneLine(wrong.Problem)}";

    // The host's last lines are written when it is disposed: only what follows them is the last, which Kubernetes shows as the reason.
    public static async Task<EngineStatus> ToEndAsync(IHost host, CancellationToken stop)
    {
        await using var disposal = (IAsyncDisposable)host;
        using var asked = stop.Register(host.Services.GetRequiredService<IHostApplicationLifetime>().StopApplication);
        await StartAsync(host);
        await host.WaitForShutdownAsync(CancellationToken.None);
        host.Services.AnnounceEnd();
        return host.Services.GetRequiredService<IEngine>().Status;
    }

    private static async Task StartAsync(IHost host)
    {
        var services = host.Services;
        try
        {
            LeftSockets.Remove(services.GetRequiredService<IConfiguration>());
            await host.StartAsync();
            services.AnnounceStart();
        }
        catch (OperationCanceledException) when (services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested)
        {
            // It was told to stop before it had started. What had begun is stopped like all else.
        }
        catch (Exception problem) when (ManagementPort.Refused(problem, services.GetRequiredService<IConfiguration>()) is { } refused)
        {
            throw new InvalidOptionsException([refused]);
        }
    }

    // The engine names its settings as it knows them; a person sets them with what they start with here.
    private static string FullName(string setting) =>
        setting is WorkerSettings.Section or SettingSources.File or EnvironmentRules.Name or WorkerSettings.RabbitMqSetting or WorkerSettings.ServiceBusSetting or WorkerSettings.ServiceBusNamespaceSetting
            || ManagementPort.Owns(setting) || OtelSettings.Owns(setting) || LogRules.Owns(setting)
            ? setting
            : WorkerSettings.Prefix + setting;
}
