using Holdfast.Consumer;
using Holdfast.Worker.Management;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Hosting;

/// <summary>Builds the host from the configuration.</summary>
internal static class WorkerHost
{
    // Any of these can be set otherwise, in the environment or in appsettings.json.
    private static readonly Dictionary<string, string?> s_defaults = new()
    {
        ["hostBuilder:reloadConfigOnChange"] = "false",
        ["Logging:Console:FormatterName"] = LineFormatter.FormatterName,
        // A pipe that nobody empties would hold up whoever logs: handlers, the watch and the stop. What is dropped is counted, and told when it goes on.
        ["Logging:Console:QueueFullMode"] = nameof(ConsoleLoggerQueueFullMode.DropWrite),
        ["Logging:Console:MaxQueueLength"] = "10000",
        ["Logging:LogLevel:Default"] = "Information",
        ["Logging:LogLevel:Microsoft"] = "Warning",
        // The host logs what makes its start fail, stack and all; we say it in a line.
        ["Logging:LogLevel:Microsoft.Extensions.Hosting"] = "Critical",
    };

    /// <exception cref="InvalidOptionsException">A setting of the worker's is wrong.</exception>
    public static IHost Build() => SettingSources.Reading(() =>
        Host.CreateDefaultBuilder()
            .ConfigureHostConfiguration(c => c.AddInMemoryCollection(s_defaults))
            .ConfigureLogging((context, l) =>
            {
                l.ClearProviders().AddConsole().AddConsoleFormatter<LineFormatter, LineFormatterOptions>().AddConsoleFormatter<JsonFormatter, JsonFormatterOptions>();
                if (Enum.TryParse(context.Configuration["Worker:Logs"], ignoreCase: true, out LogFormat format) && format == LogFormat.Json)
                    l.Services.Configure<ConsoleLoggerOptions>(o => o.FormatterName = JsonFormatter.FormatterName);
            })
            // First, so that it is stopped last: whoever looks at the end of the drain still finds the port open.
            .ConfigureWebHost(web =>
            {
                web.UseDefaultPort();
                web.UseKestrelCore().ConfigureKestrel(ManagementLimits.Set);
                web.Configure((context, app) =>
                {
                    if (ManagementPort.IsLoopback(context.Configuration))
                        app.UseLoopbackHosts();
                    app.UseManagement();
                });
            })
            .ConfigureServices((context, services) => services.AddWorker(WorkerSettings.Read(context.Configuration)))
            .Build());
}
