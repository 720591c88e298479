using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Worker.Messages;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Demo;

/// <summary>Sends messages to work on, evenly, until the host stops.</summary>
internal sealed partial class DemoProducer(IBroker broker, HandlingOptions handling, TimeProvider time, IHostApplicationLifetime lifetime, ILogger<DemoProducer> log)
    : BackgroundService
{
    private const int UrgentEvery = 20;
    private const byte Urgent = 5;

    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(10);

    private int _sent;
    private TimeSpan _pause;

    public async Task SendAsync(CancellationToken cancel)
    {
        try
        {
            while (true)
            {
                await SendUntilItFailsAsync(cancel);
                await Task.Delay(_pause, time, cancel);
            }
        }
        catch (OperationCanceledException) when (cancel.IsCancellationRequested)
        {
        }
    }

    // The host stops its services only after the drain; sending must end before it.
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => SendAsync(lifetime.ApplicationStopping);

    private async Task SendUntilItFailsAsync(CancellationToken cancel)
    {
        try
        {
            await using var sender = await broker.OpenSenderAsync(handling.Queue, cancel);
            var schedule = new Schedule(handling.Demo.Produce, time);
            while (true)
            {
                await Task.Delay(schedule.UntilNext(), time, cancel);
                await sender.SendAsync(Next(), TimeSpan.Zero, cancel);
                _sent++;
                Recovered();
            }
        }
        catch (BrokerException problem)
        {
            // Whatever it is, somebody may mend it, as a queue that was deleted, which the worker makes anew.
            Failed(problem);
        }
    }

    private Message Next()
    {
        var number = _sent + 1;
        return new Message
        {
            Id = $"demo-{number}",
            Body = JsonSerializer.SerializeToUtf8Bytes(new { number }),
            ContentType = "application/json",
            Priority = number % UrgentEvery == 0 ? Urgent : (byte)0,
        };
    }

    private void Failed(BrokerException problem)
    {
        if (_pause == TimeSpan.Zero)
            LogFailure(handling.Queue, problem.Message);
        _pause = _pause == TimeSpan.Zero ? s_firstPause : TimeSpan.FromTicks(Math.Min(2 * _pause.Ticks, s_longestPause.Ticks));
    }

    private void Recovered()
    {
        if (_pause == TimeSpan.Zero)
            return;
        _pause = TimeSpan.Zero;
        LogRecovery(handling.Queue);
    }

    [LoggerMessage(LogLevel.Warning, "The demo producer can't send to {Queue}, and will go on trying: {Problem}")]
    private partial void LogFailure(string queue, string problem);

    [LoggerMessage(LogLevel.Information, "The demo producer sends to {Queue} again")]
    private partial void LogRecovery(string queue);
}
