using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker;

/// <summary>An engine that looks as a test wants it to, and drains until it is let go.</summary>
internal sealed class FakeEngine : IEngine, IHostedLifecycleService
{
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static QueueStatus Orders { get; } = new()
    {
        Queue = "orders",
        IsConnected = true,
        LeasesHeld = 24,
        SlotsUsed = 24,
        SlotsLimit = 64,
        Received = 100,
        Completed = 60,
        Abandoned = 1,
        Delayed = 2,
        DeadLettered = 3,
        Renewals = 500,
        Misses = 0,
        LeastMargin = TimeSpan.FromSeconds(14.2),
    };

    public EngineStatus Status { get; set; } = new()
    {
        State = EngineState.Running,
        LeaseLoopSilence = TimeSpan.FromMilliseconds(2),
        Threads = 2,
        ThreadsBlocked = 0,
        Lanes = [new LaneStatus("lease", 0), new LaneStatus("process", 3)],
        Queues = [Orders],
    };

    public IReadOnlyList<LeaseMiss> LastMisses { get; set; } = [];

    public LeaseSnapshot Held { get; set; } = new() { At = TimeSpan.FromSeconds(100), InHand = 0, InDanger = 0, Lost = 0, Leases = [] };

    /// <summary>How often somebody looked at the leases one by one.</summary>
    public int Looks { get; private set; }

    /// <summary>Completes when the host has asked for the drain.</summary>
    public TaskCompletionSource Draining { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static HeldLease Lease(long number, string id = "a") => new()
    {
        Number = number,
        Queue = "orders",
        MessageId = id,
        Priority = 0,
        DeliveryCount = 1,
        Attempt = 1,
        Since = TimeSpan.FromSeconds(90),
        LockDuration = TimeSpan.FromSeconds(30),
        TrustedUntil = TimeSpan.FromSeconds(120),
        State = LaneState.Awaiting,
        Danger = LeaseDanger.None,
    };

    public void Hold(params HeldLease[] leases) => Held = Held with { InHand = leases.Length, Leases = leases };

    public LeaseSnapshot Leases(int most)
    {
        if (most > 0)
            Looks++;
        return Held;
    }

    public void EndDrain() => _drained.TrySetResult();

    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        Status = Status with { State = EngineState.Draining };
        Draining.TrySetResult();
        return _drained.Task;
    }

    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
