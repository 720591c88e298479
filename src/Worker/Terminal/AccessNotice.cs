using Holdfast.Broker.ServiceBus;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Terminal;

/// <summary>Tells when a signature that nobody here can renew ends: at the start, and once more while there is time left to replace it.</summary>
internal sealed partial class AccessNotice(DateTimeOffset end, TimeProvider time, ILogger<AccessNotice> log) : BackgroundService
{
    // A timer has no room for years, and somebody may set the clock.
    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(1);

    private TimeSpan Left => TokenTerms.WarnIn(time.GetUtcNow(), end);

    public async Task TellAsync(CancellationToken cancel)
    {
        if (Left > TimeSpan.Zero)
            LogEnd(WorkerSettings.ServiceBusSetting, end);
        while (Left is { Ticks: > 0 } left)
            await Task.Delay(left < s_longestWait ? left : s_longestWait, time, cancel);
        LogEndSoon(WorkerSettings.ServiceBusSetting, end);
    }

    protected override Task ExecuteAsync(CancellationToken stoppingToken) => TellAsync(stoppingToken);

    [LoggerMessage(LogLevel.Information, "The SharedAccessSignature in {Setting} lets us in until {End:u}; start the worker with a new one before that")]
    private partial void LogEnd(string setting, DateTimeOffset end);

    [LoggerMessage(LogLevel.Warning, "The SharedAccessSignature in {Setting} expires at {End:u}, and what is held then is missed: nothing can be renewed or settled any more. Start the worker with a new one before that")]
    private partial void LogEndSoon(string setting, DateTimeOffset end);
}
