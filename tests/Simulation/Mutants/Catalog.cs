namespace Holdfast.Tests.Simulation.Mutants;

/// <summary>What would be wrong with the engine if one line of it were.</summary>
internal static class Catalog
{
    public static Mutant[] All { get; } =
    [
        new("renewals run on the Process lane", "Consumer", "Leases/LeaseKeeper.cs",
            """
                    if (batch.Send(_lanes.Clock.Now, _onAnswer, _stop.Token))
                        Take(batch);
                    else
                        _flights.Add(batch);
            """,
            """
                    _lanes.NewStrand(255, "renewal").Run(() =>
                    {
                        if (batch.Send(_lanes.Clock.Now, _onAnswer, _stop.Token))
                            Answered(batch);
                    });
            """),
        new("settlements are sent without trust", "Consumer", "Journey.cs",
            "isDone = keeper.TryBeginSettling(lease) && await Settling.TryAsync(queue, lease, keeper, _trail, settlement, miss);",
            "keeper.TryBeginSettling(lease); isDone = await queue.Receiver.SettleAsync(lease.Delivery, settlement, default); keeper.Settled(lease, miss);"),
        new("trust is counted from the reply", "Consumer", "Leases/LeaseKeeper.cs",
            "lease.Extend(batch.AskedAt, ",
            "lease.Extend(now, "),
        new("a slot is lost with the lease", "Consumer", "Journey.cs",
            """
                    await _atLimit;
                    Leave();
            """,
            """
                    await _atLimit;
                    if (lease.State != LeaseState.Lost)
                        Leave();
            """),
        new("receiving comes before processing", "Scheduling", "Order/LaneQueues.cs",
            """
                    lane = Lane.Process;
                    if (TryTakeProcess(own, out work))
                        return true;

                    lane = Lane.Receive;
                    return _receive.TryDequeue(out work);
            """,
            """
                    lane = Lane.Receive;
                    if (_receive.TryDequeue(out work))
                        return true;

                    lane = Lane.Process;
                    return TryTakeProcess(own, out work);
            """),
        new("settling comes after processing", "Scheduling", "Order/LaneQueues.cs",
            """
                    lane = Lane.Lease;
                    if (_lease.TryDequeue(out work))
                        return true;

                    lane = Lane.Process;
                    if (TryTakeProcess(own, out work))
                        return true;
            """,
            """
                    lane = Lane.Process;
                    if (TryTakeProcess(own, out work))
                        return true;

                    lane = Lane.Lease;
                    if (_lease.TryDequeue(out work))
                        return true;
            """),
        new("a loss does not cancel the handler", "Consumer", "Leases/Lease.cs",
            """
                    Cancel(Volatile.Read(ref _handling));
                    Cancel(Volatile.Read(ref _settling));
            """,
            "Cancel(Volatile.Read(ref _settling));"),
        new("no lease is renewed beside its settlement", "Consumer", "Leases/LeaseKeeper.cs",
            "(lease.IsAtLimit || !lease.Delivery.IsHeldMeanwhile)",
            "true"),
        new("there is no renewal after an unknown answer", "Consumer", "Leases/LeaseKeeper.cs",
            """
                    if (isAwaited)
                        Schedule(lease);
            """,
            """
                    if (isAwaited && outcome != Renewal.Unknown)
                        Schedule(lease);
            """),
        new("what was completed and lost is forgotten", "Consumer", "Journey.cs",
            "queue.Completed.Remember(lease.Delivery);",
            "return;"),
        new("what has not begun is not given back on a stop", "Consumer", "Engine.cs",
            "Select(journey => journey.GiveBackUnbegunAsync())",
            "Select(_ => Task.CompletedTask)"),
        new("expiry waits for a renewal that hangs", "Consumer", "Leases/LeaseKeeper.cs",
            """
                    else
                        _flights.Add(batch);
            """,
            ""),
        new("admission ignores its limit", "Consumer", "Admission/Admission.cs",
            "Math.Min(Limit - Used, Fitting)",
            "Math.Min(Limit, Fitting)"),
        new("what is in hand may weigh anything", "Consumer", "Admission/Admission.cs",
            ": InHand.Bytes >= options.MaxBytesInFlight ? HoldReason.Bytes",
            ""),
        new("large messages are asked for as if they were small", "Consumer", "Admission/Admission.cs",
            "Math.Min(Limit - Used, Fitting)",
            "Limit - Used"),
        new("the youngest of a priority goes first", "Scheduling", "Order/Rank.cs",
            "<< PriorityBits) | order;",
            "<< PriorityBits) | (WaitingBit - 1 - order);"),
        new("what waits to start does not rank after what has started", "Scheduling", "Order/Rank.cs",
            "Started(priority, order) | WaitingBit",
            "Started(priority, order)"),
        new("what is finished waits behind handlers", "Scheduling", "Strand.cs",
            "IsFinished ? Scheduling.Rank.First : _rank;",
            "_rank;"),
        new("messages that take turns go by when they began", "Scheduling", "Strand.cs",
            "HasStarted && !Lanes.TakesTurns;",
            "HasStarted;"),
        new("what has come too late is begun all the same", "Consumer", "Journey.cs",
            """
                    if (lease.Remaining(queue.Lanes.Clock.Now) == TimeSpan.Zero)
                        return Settlement.Abandon;
            """,
            """
                    if (lease.State == LeaseState.Lost)
                        return Settlement.Abandon;
            """),
        new("whose connection has ended is not told", "Consumer", "QueueRun.cs",
            "journey.HeedFate();",
            "_ = journey;"),
        new("a store is not told of what is completed", "Consumer", "Journey.cs",
            "if (!wasHandled)",
            "if (wasHandled)"),
        new("a store is not believed", "Consumer", "Completions/Completed.cs",
            "return isAnswered && await answer;",
            "return isAnswered && await answer && false;"),
        new("a rate lets more in than it says", "Consumer", "Admission/RateLimit.cs",
            "_left--;",
            "_left -= 0.5;"),
        new("a probe that is lost shuts its queue", "Consumer", "Failures/Breaker.cs",
            "_nextProbeAt = _pausedUntil;",
            "_nextProbeAt = TimeSpan.MaxValue;"),
        new("a completion that is under way is not known", "Consumer", "Journey.cs",
            "queue.InHand.IsBeingSettled(this)",
            "false"),
        new("a slot is free before its lease has ended", "Consumer", "Journey.cs",
            "_atLimit = end.Task;",
            ""),
        new("a settlement that is never answered keeps its slot", "Consumer", "Leases/LeaseKeeper.cs",
            "Lose(lease, reason, from: LeaseState.Settling);",
            ""),
        new("handlers go on wherever their answer arrives", "Scheduling", "Strand.cs",
            "Lanes.Postbox.Post(this, task);",
            "StartThread(task);"),
        new("at the deadline of a stop nothing is given back", "Consumer", "Engine.cs",
            "journey.GiveBackRunningAsync()",
            "Task.CompletedTask"),
        new("the next of a key does not wait for its turn", "Consumer", "Ordering/KeyOrder.cs",
            "return line.Count == 1 && !_isClosed;",
            "return true;"),
        new("a broker that wants its peace is asked again as any other", "Consumer", "Pump.cs",
            "if (trouble.RetryAfter is { } asked && asked > backoff)",
            "if (trouble.RetryAfter is { } asked && asked < backoff)"),
        new("a queue that others leave no turn is not hastened", "Consumer", "Admission/Pacer.cs",
            "queue.ReceiveTurn.Hasten();",
            "_ = queue;"),
        new("a queue waits twice as long before it is hastened", "Consumer", "ReceiveTurn.cs",
            "TimeSpan.FromMilliseconds(250)",
            "TimeSpan.FromMilliseconds(500)"),
        new("a hastened turn comes behind all handlers", "Consumer", "ReceiveTurn.cs",
            "_lanes.Turn(Lane.Lease).UnsafeOnCompleted(_onLease);",
            "_lanes.Turn(Lane.Receive).UnsafeOnCompleted(_onLease);"),
        new("what was lost before it began keeps its queue from being hastened", "Consumer", "Journey.cs",
            "IsQueued: true } && (WasCalled || !(HasBegun || lease.IsOver));",
            "IsQueued: true };"),
        new("one queue's load cuts another's limit", "Consumer", "Admission/AdmissionLimit.cs",
            "(load.IsTooMuch && need is not { IsSlight: true })",
            "load.IsTooMuch"),
        new("the CPU that others had is not missed", "Consumer", "Admission/Pacer.cs",
            "burnt + lanes.WaitForCpu",
            "burnt"),
        new("a renewal that is never answered is waited for for ever", "Consumer", "Leases/LeaseKeeper.cs",
            """
                    if (batch.IsOver)
                        batch.Book.CallOff(batch);
                    else
                        _flights.AddAgain(batch, now);
            """,
            """
                    if (!batch.IsOver)
                        _flights.AddAgain(batch, now);
            """),
        new("a message is put aside for what a stop did to it", "Consumer", "Journey.cs",
            "if (lease.Token.IsCancellationRequested)\n            return Settlement.Abandon;",
            "if (lease.Token.IsCancellationRequested && lease.IsOver)\n            return Settlement.Abandon;"),
        new("an attempt may take twice its time", "Consumer", "Failures/AttemptLimit.cs",
            "this, longest, ",
            "this, longest + longest, "),
        new("what was published is not waited for", "Consumer", "Handling/Publishing.cs",
            "await senders.SendAllAsync(published, cancel);",
            "_ = senders.SendAllAsync(published, cancel);"),
        new("what was published is sent whatever became of the attempt", "Consumer", "Handling/Publishing.cs",
            "if (!settlement.IsSaid || settlement.Kind != SettlementKind.Complete || published.Length == 0)",
            "if (published.Length == 0)"),
        new("what completed is known by its id alone", "Consumer", "Completions/Sameness.cs",
            "var key = $\"{delivery.Message.Id} {delivery.Origin} {Convert.ToHexStringLower(hash[..BytesOfHash])}\";",
            "var key = delivery.Message.Id;"),
        new("what is being settled is known by its id alone", "Consumer", "Completions/Sameness.cs",
            """
                    && one.Origin == other.Origin
                    && one.Message.SessionId == other.Message.SessionId
                    && one.Message.Body.Span.SequenceEqual(other.Message.Body.Span);
            """,
            ";"),
        new("what was settled, and comes back, is handled again", "Consumer", "Journey.cs",
            "var wasHandled = lease.Delivery.WasSettled",
            "var wasHandled = false"),
        new("what nobody can read is handled", "Consumer", "Failures/FailurePolicy.cs",
            "if (delivery.Unreadable is { } why)",
            "if (delivery.Unreadable is { } why && delivery.Tries > _mostDeliveries)"),
        new("a miss is not counted", "Consumer", "Leases/LeaseBook.cs",
            "Meter.Miss(reason);",
            ""),
        new("the broker forgets a message whose lock has lapsed", "Broker.InMemory", "Stock.cs",
            "GiveBack(LetGo(lapsed, Renewal.Lost), TimeSpan.Zero, now);",
            "LetGo(lapsed, Renewal.Lost);"),
        new("the broker takes a settlement for a lock that has lapsed", "Broker.InMemory", "Stock.cs",
            """
                    if (!delivery.IsHeld)
                        return false;
            """,
            """
                    if (!delivery.IsHeld)
                        return true;
            """),
    ];
}
