using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Holdfast.Worker.Terminal;

/// <summary>Tells the terminal what runs, how it goes every few seconds, and how it ended.</summary>
internal sealed partial class Summary(IEngine engine, WorkerOptions worker, IServer server, TimeProvider time, ILogger<Summary> log)
    : BackgroundService, IHostedLifecycleService
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_longestSilence = TimeSpan.FromMinutes(1);

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        LogStart(Product.Version, worker.Handler, worker.Queue, worker.Broker, engine.Status.Threads);
        foreach (var address in server.Features.Get<IServerAddressesFeature>()?.Addresses ?? [])
            LogAddress(Reachable(address));
        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        foreach (var queue in engine.Status.Queues)
            LogLine(SummaryLine.Close(queue));
        return Task.CompletedTask;
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(s_period, time);
        var (before, at, spokenAt) = (engine.Status.Queues, time.GetTimestamp(), time.GetTimestamp());
        while (await timer.WaitForNextTickAsync(stoppingToken))
        {
            var (queues, now) = (engine.Status.Queues, time.GetTimestamp());
            if (!queues.SequenceEqual(before) || time.GetElapsedTime(spokenAt, now) >= s_longestSilence)
            {
                foreach (var queue in queues)
                    LogLine(SummaryLine.Compose(before.FirstOrDefault(b => b.Queue == queue.Queue) ?? queue, queue, time.GetElapsedTime(at, now)));
                spokenAt = now;
            }

            (before, at) = (queues, now);
        }
    }

    private static string Reachable(string address) =>
        address.Replace("[::]", "localhost").Replace("0.0.0.0", "localhost").Replace("*", "localhost").TrimEnd('/') + "/";

    [LoggerMessage(LogLevel.Information, "Holdfast {Version}: {Handler} handles {Queue} from {Broker} on {Threads} threads")]
    private partial void LogStart(string version, string handler, string queue, string broker, int threads);

    [LoggerMessage(LogLevel.Information, "Status page: {Address}")]
    private partial void LogAddress(string address);

    [LoggerMessage(LogLevel.Information, "{Line}")]
    private partial void LogLine(string line);
}
