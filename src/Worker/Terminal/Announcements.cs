using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Holdfast.Worker.Terminal;

/// <summary>Tells the terminal what runs and where to look, and in the end how it went.</summary>
internal static partial class Announcements
{
    public static void AnnounceStart(this IServiceProvider services)
    {
        var (settings, log) = (services.GetRequiredService<WorkerSettings>(), services.GetRequiredService<ILogger<Summary>>());
        var handling = string.Join(", ", settings.Queues.Select(queue => $"{queue.Handling.Handler} handles {queue.Handling.Queue}"));
        LogStart(log, Product.Version, handling, settings.Broker, services.GetRequiredService<IEngine>().Status.Threads);
        foreach (var finding in MachineFindings.Of(settings).Where(finding => finding.Severity == Severity.Warning))
            LogMachine(log, finding.Text);
        foreach (var address in services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()?.Addresses ?? [])
        {
            if (settings.Worker.StatusPage)
                LogPage(log, Reachable(address));
            else
                LogPort(log, Reachable(address));
        }
    }

    public static void AnnounceEnd(this IServiceProvider services)
    {
        foreach (var queue in services.GetRequiredService<IEngine>().Status.Queues)
            LogEnd(services.GetRequiredService<ILogger<Summary>>(), SummaryLine.Close(queue));
    }

    /// <summary>An address that a browser on this machine can open, or what else leads there.</summary>
    public static string Reachable(string address) => BindingAddress.Parse(address) is { IsUnixPipe: true } socket
        ? ManagementPortAddress.Through(socket.UnixPipePath).At("/").ToString()
        : address.Replace("[::]", "localhost").Replace("0.0.0.0", "localhost").Replace("*", "localhost").TrimEnd('/') + "/";

    [LoggerMessage(LogLevel.Information, "Holdfast {Version}: {Handling} from {Broker}, threads: {Threads}")]
    private static partial void LogStart(ILogger log, string version, string handling, string broker, int threads);

    [LoggerMessage(LogLevel.Warning, "{Text}")]
    private static partial void LogMachine(ILogger log, string text);

    [LoggerMessage(LogLevel.Information, "Status page: {Address}")]
    private static partial void LogPage(ILogger log, string address);

    [LoggerMessage(LogLevel.Information, "Metrics and health: {Address} (the status page is off)")]
    private static partial void LogPort(ILogger log, string address);

    [LoggerMessage(LogLevel.Information, "Stopped. {Line}")]
    private static partial void LogEnd(ILogger log, string line);
}
