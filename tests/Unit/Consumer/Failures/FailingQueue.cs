using Holdfast.Broker;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A queue whose handler fails, until told otherwise, and whose receiving pauses for that.</summary>
internal sealed class FailingQueue : IDisposable
{
    private EngineByHand? _hand;

    /// <summary>Two ways to put a message off.</summary>
    public static TheoryData<SettlementKind> WaysToPutOff => [SettlementKind.Delay, SettlementKind.Abandon];

    /// <summary>Which messages were handled, and when that began.</summary>
    public List<(string Id, double At)> Runs { get; } = [];

    public Func<HeldMessage, bool> Fails { get; set; } = _ => true;

    /// <summary>What the handler answers where it does not fail.</summary>
    public Settlement Answer { get; set; } = Settlement.Complete;

    /// <summary>How long the handler takes, in seconds.</summary>
    public double Handling { get; set; } = 0.01;

    /// <summary>Whether the handler answers when it is called off, instead of telling that it was.</summary>
    public bool HeedsByAnswering { get; set; }

    /// <summary>Why nothing is received; null where it is.</summary>
    public string? Holding => _hand!.Status.Queues[0].Holding;

    /// <summary>How many more may be received.</summary>
    public int Room => _hand!.Queue.Admission.Room;

    /// <summary>How long receiving has paused each time, in whole seconds: room is looked for ten times a second. Two rounds of four have run before the first.</summary>
    public IEnumerable<double> Pauses => Runs.Skip(7).Zip(Runs.Skip(8), (one, next) => Math.Floor(next.At - one.At));

    public static Settlement PuttingOff(SettlementKind kind) => kind == SettlementKind.Delay ? Settlement.Delay(TimeSpan.FromHours(1)) : Settlement.Abandon;

    public EngineByHand Start(Action<QueueOptions>? configure = null, ILogger? log = null)
    {
        _hand = new EngineByHand(HandleAsync, options =>
        {
            options.Breaker = new()
            {
                FailureRatio = 0.5,
                MinimumHandled = 5,
                Window = TimeSpan.FromSeconds(20),
                Pause = TimeSpan.FromSeconds(10),
                MaxPause = TimeSpan.FromSeconds(25),
            };
            options.Retry.Delay = options.Retry.MaxDelay = TimeSpan.FromHours(1);
            configure?.Invoke(options);
        }, log: log);
        return _hand.Start();
    }

    /// <summary>Starts, and lets so many messages fail that receiving pauses.</summary>
    public EngineByHand Paused()
    {
        var hand = Start();
        Send(40);
        hand.Run(5);
        return hand;
    }

    public void Send(int count) => _hand!.Send([.. Enumerable.Range(0, count).Select(n => $"{n}")]);

    public void Dispose() => _hand?.Dispose();

    private async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        Runs.Add((message.Id, _hand!.Now));
        try
        {
            await _hand.Nap(message.Id == "slow" ? 7 : Handling, cancel);
        }
        catch (OperationCanceledException) when (HeedsByAnswering)
        {
        }

        return Fails(message) ? throw new InvalidOperationException("No luck.") : Answer;
    }
}
