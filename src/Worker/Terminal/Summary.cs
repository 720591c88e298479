using Holdfast.Consumer;

namespace Holdfast.Worker.Terminal;

/// <summary>Tells the terminal how it goes, every few seconds; where nothing changes, every minute.</summary>
internal sealed partial class Summary(IEngine engine, TimeProvider time, ILogger<Summary> log) : BackgroundService
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_longestSilence = TimeSpan.FromMinutes(1);

    public async Task TellAsync(CancellationToken cancel)
    {
        var (before, at, spokenAt) = (engine.Status.Queues, time.GetTimestamp(), time.GetTimestamp());
        while (true)
        {
            await Task.Delay(s_period, time, cancel);
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

    protected override Task ExecuteAsync(CancellationToken stoppingToken) => TellAsync(stoppingToken);

    [LoggerMessage(LogLevel.Information, "{Line}")]
    private partial void LogLine(string line);
}
