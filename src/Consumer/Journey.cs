using Holdfast.Broker;
using Holdfast.Scheduling;
using Polly;

namespace Holdfast.Consumer;

/// <summary>One message, from the moment it is held: handle, then settle. On its own strand of the Process lane; settling on the Lease lane.</summary>
internal sealed class Journey(QueueRun queue, Lease lease, LeaseKeeper keeper)
{
    private readonly HeldMessage _message = new(queue.Queue, lease);
    private Trail _trail = new(queue);
    private Exception? _failure;
    private Task _atLimit = Task.CompletedTask;
    private int _hasBegun;
    private bool _hasCompleted;
    private bool _isCalledOff;
    private MissReason? _miss;

    public Lease Lease => lease;

    public string Id => _message.Id;

    public int Bytes => lease.Delivery.Message.Weight;

    public byte Priority { get; } = queue.Priorities.Of(lease.Delivery.Message);

    /// <summary>Whether its handler has been called, or never will be.</summary>
    public bool HasBegun => Volatile.Read(ref _hasBegun) != 0;

    /// <summary>Whether its handler has been called.</summary>
    public bool WasCalled { get; private set; }

    /// <summary>Whether its handler is not done with it.</summary>
    public bool IsBeingHandled => HasBegun && !HasCompleted && lease.State != LeaseState.Settling;

    /// <summary>Whether the broker may have handed it out before. What was lost together with its session Service Bus does not count.</summary>
    public bool ComesAgain => _message.DeliveryCount > 1 || lease.Delivery.Session is not null;

    /// <summary>Whether its work is done, whatever becomes of its settlement.</summary>
    public bool HasCompleted => Volatile.Read(ref _hasCompleted);

    /// <summary>Whether it waits for a thread that runs handlers. One that was lost or given back before its handler began only has to be seen off. Any thread.</summary>
    public bool WaitsForThread => _message.Strand is { IsQueued: true } && (WasCalled || !(HasBegun || lease.IsOver));

    public void Start()
    {
        if (lease.Limit < TimeSpan.MaxValue)
            lease.GiveBack = EndAtLimit;

        // Whoever waits for another one's end may wait long. If its lease is lost meanwhile, nothing will come of its turn, and others need its slot.
        if (queue.Order?.Enter(this) ?? true)
            Run();
        else
            lease.Token.UnsafeRegister(static journey => _ = ((Journey)journey!).GiveBackUnbegunAsync(), this);
    }

    /// <summary>Its turn has come, among those that have to be handled one after another. Any thread.</summary>
    public void Run()
    {
        _message.Strand = queue.Lanes.NewStrand(Priority, _message.Id);
        Task.Factory.StartNew(static journey => ((Journey)journey!).RunAsync(), this, CancellationToken.None, TaskCreationOptions.DenyChildAttach, _message.Strand);
    }

    /// <summary>Whether it has a thread. Any thread.</summary>
    public bool IsRunning(LaneActivity activity) => _message.Strand is { } strand && activity.IsRunning(strand);

    /// <summary>How it stands, for a person to see. Any thread.</summary>
    public HeldLease Look(TimeSpan now, LaneActivity activity) => new()
    {
        Number = lease.Number,
        Queue = queue.Queue,
        MessageId = _message.Id,
        Priority = Priority,
        DeliveryCount = _message.DeliveryCount,
        Attempt = _message.Attempt,
        Since = lease.Since,
        LockDuration = lease.Delivery.LockDuration,
        TrustedUntil = lease.TrustedUntil,
        State = State(activity),
        Danger = lease.Danger(now),
    };

    /// <summary>Gives the message back if its handler has not begun. Any thread.</summary>
    public Task GiveBackUnbegunAsync() => TryBegin() ? GiveBackAsync() : Task.CompletedTask;

    /// <summary>Nobody keeps leases from now on: gives the message back, or calls its handler off where that has begun. Any thread.</summary>
    public void Forsake()
    {
        if (TryBegin())
            _ = GiveBackAsync();
        else
            CallOff();
    }

    /// <summary>If its lease is known to have ended, it has. Any thread.</summary>
    public void HeedFate()
    {
        if (lease.ReasonOfFate is { } reason)
            keeper.Lose(lease, reason);
    }

    /// <summary>Tells the handler that its time is over. Any thread.</summary>
    public void CallOff()
    {
        Volatile.Write(ref _isCalledOff, true);
        if (lease.State == LeaseState.Held)
            lease.CallOff();
    }

    /// <summary>Gives the message back although its handler still runs. Any thread.</summary>
    public async Task GiveBackRunningAsync()
    {
        // If it has not begun, it must not begin now.
        TryBegin();
        CallOff();
        await EndAsync(Settlement.Abandon, MissReason.Drain);
    }

    /// <summary>The stop is over: what the broker has not said of its settlement by now is not waited for. Any thread.</summary>
    public void GiveUp() => keeper.LoseEvenIfSettling(lease, MissReason.Drain);

    private async Task GiveBackAsync() => await EndAsync(Settlement.Return);

    private void EndAtLimit()
    {
        // In sight before it can begin elsewhere: a handler that is called off by it must not end the journey meanwhile.
        var end = new TaskCompletionSource();
        _atLimit = end.Task;
        _ = EndAtLimitAsync(end);
    }

    // The lease thread must run nothing that may wait: neither the broker's client nor whoever hears of the free slot.
    private async Task EndAtLimitAsync(TaskCompletionSource end)
    {
        await queue.Lanes.Turn(Lane.Lease);

        // What has not begun has only waited too long for us: others may be quicker, whatever the policy for slow handlers is.
        // A handler that does not heed its token keeps its slot until it ends.
        var isUnbegun = TryBegin();
        CallOff();
        await SettleOnceAsync(isUnbegun ? Settlement.Abandon : queue.Failures.AtLimit(lease.Delivery), MissReason.Deadline);
        end.SetResult();
        if (isUnbegun)
            Leave();
    }

    private LaneState State(LaneActivity activity)
    {
        if (lease.State == LeaseState.Settling)
            return LaneState.Settling;
        if (IsRunning(activity))
            return LaneState.Running;
        return !HasBegun || WaitsForThread ? LaneState.Waiting : LaneState.Awaiting;
    }

    private bool TryBegin() => Interlocked.Exchange(ref _hasBegun, 1) == 0;

    private async Task RunAsync()
    {
        Settlement settlement;
        try
        {
            // While its store is asked it has not begun, and may be given back.
            var wasHandled = !HasBegun && await WasHandledAsync();
            if (!TryBegin())
            {
                queue.Order?.Leave(this);
                return;
            }

            settlement = wasHandled ? Settlement.Complete : await HandleAsync();
            if (settlement.Kind == SettlementKind.Complete)
            {
                Volatile.Write(ref _hasCompleted, true);
                queue.InHand.Complete(this);
                if (!wasHandled)
                    await queue.Completed.StoreAsync(lease.Delivery);
            }
        }
        catch (Exception broken)
        {
            Broke(broken);
            settlement = Settlement.Abandon;
        }

        // Settling is as urgent as renewing: until then the message can still be lost, and its work done twice. What its handler may have left running is not.
        _message.LineUp();
        await queue.Lanes.Turn(Lane.Lease);
        await EndAsync(settlement, _miss);
    }

    private async ValueTask<Settlement> HandleAsync()
    {
        // It may have come to us late: not every lease that is over has been found to be lost yet.
        HeedFate();
        if (lease.Remaining(queue.Lanes.Clock.Now) == TimeSpan.Zero)
            return Settlement.Abandon;
        if (queue.Failures.BeforeHandling(lease.Delivery) is { } refusal)
            return refusal;

        // Those behind it would be begun and called off one after another, as their limits come.
        if (lease.IsTooLateFor(queue.Order?.UsualTurn ?? TimeSpan.Zero, queue.Lanes.Clock.Now))
        {
            _miss = MissReason.Deadline;
            return Settlement.Abandon;
        }

        Outcome<Settlement> end = default;
        WasCalled = true;
        _trail.HandlerBegins(queue, lease);
        try
        {
            end = Saying(await queue.Attempts.RunAsync(_message, lease.Token));
            if (end.Exception is { } failure)
                return AfterFailure(failure);
            Report(end.Result);
            return end.Result;
        }
        finally
        {
            _trail.HandlerEnds(queue, _message.Attempt, end.Exception, end.Result);
        }
    }

    private static Outcome<Settlement> Saying(Outcome<Settlement> end) => end.Exception is not null || end.Result.IsSaid
        ? end
        : Outcome.FromException<Settlement>(new InvalidOperationException(
            "The handler, or a middleware before it, returned default(Settlement), which says nothing; return Settlement.Complete, Abandon, Delay or DeadLetter."));

    private Settlement AfterFailure(Exception error)
    {
        // By the loss of the lease or by the stop: neither is the message's fault.
        if (lease.Token.IsCancellationRequested)
            return Settlement.Abandon;

        _failure = error;
        var settlement = queue.Failures.AfterFailure(error, lease.Delivery, _message.Attempt);
        queue.Admission.Report(this, queue.Failures.IsMessagesFault(error) ? HandlerOutcome.Handled : HandlerOutcome.Failed);
        queue.MessageLog.Failed(_message, error, Names.Of(settlement.Kind));
        return settlement;
    }

    private void Report(Settlement settlement)
    {
        var isPutOff = settlement.Kind is SettlementKind.Abandon or SettlementKind.Delay;

        // Whoever was called off, and heeds it in that way, has told nothing.
        if (!isPutOff || !lease.Token.IsCancellationRequested)
            queue.Admission.Report(this, isPutOff ? HandlerOutcome.PutOff : HandlerOutcome.Handled);
    }

    private async ValueTask<bool> WasHandledAsync()
    {
        // Its earlier handler may still run here, and complete it while the store is asked.
        var wasHandled = lease.Delivery.WasSettled
            || (ComesAgain && (WasHandledHere() || await queue.Completed.IsStoredAsync(lease.Delivery, lease.Token) || WasHandledHere()));
        if (wasHandled)
            queue.MessageLog.HandledBefore(_message.Id);
        return wasHandled;
    }

    private bool WasHandledHere() => queue.InHand.IsBeingSettled(this) || queue.Completed.Contains(lease.Delivery);

    private async ValueTask EndAsync(Settlement settlement, MissReason? miss = null)
    {
        // What the limit calls off may come to its end before the limit has said how the message ends.
        if (settlement.Kind == SettlementKind.Abandon)
            await _atLimit;
        await SettleOnceAsync(settlement, miss);

        // Its lease is held until then, so its slot is taken.
        await _atLimit;
        Leave();
    }

    private void Leave()
    {
        queue.Order?.Leave(this);
        queue.Admission.Leave(this);
    }

    private async ValueTask SettleOnceAsync(Settlement settlement, MissReason? miss)
    {
        // What is done, and perhaps waits for a store to hear of it, is not to be done once more, whoever ends it.
        if (HasCompleted)
            (settlement, miss) = (Settlement.Complete, null);

        // Begun, called off and given back: that it runs again elsewhere is a miss like any other.
        if (settlement.Kind == SettlementKind.Abandon && Volatile.Read(ref _isCalledOff))
            miss ??= MissReason.Drain;

        var isDone = false;
        try
        {
            settlement = FailureStory.Tell(settlement, lease.Delivery, _failure, _message.Attempt, _trail.Trace, queue.Time);
            isDone = keeper.TryBeginSettling(lease) && await Settling.TryAsync(queue, lease, keeper, _trail, settlement, miss);
        }
        catch (Exception broken)
        {
            Broke(broken);
            keeper.LoseEvenIfSettling(lease, MissReason.Connection);
        }

        // Where another one is under way nobody knows yet how it ends: it may be put off still, and only what has been settled needs no remembering.
        if (lease.State != LeaseState.Settling)
            queue.PutOff.Remove(lease);
        if (!isDone && settlement.Kind == SettlementKind.Complete && lease.State != LeaseState.Settled)
            queue.Completed.Remember(lease.Delivery);
        if (isDone && settlement.Kind == SettlementKind.DeadLetter && _failure is null)
            queue.MessageLog.PutAside(_message, settlement);
    }

    // Neither the handler nor the broker failed, but what is told of them on the way: by whoever listens to spans, or by us.
    // No slot and no lease may stay taken for that, and nobody waits for a journey, to see how it ended.
    private void Broke(Exception broken) => queue.Log.JourneyBroke(_message.Id, queue.Queue, broken);
}
