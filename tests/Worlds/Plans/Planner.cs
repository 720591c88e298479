using Holdfast.Scheduling;

namespace Holdfast.Tests.Worlds;

/// <summary>Makes a world's plan from its seed: what is sent, who works, and what goes wrong.</summary>
internal static class Planner
{
    public static WorldPlan Plan(int seed)
    {
        var dice = new Dice(seed);
        var plan = Plan(seed, dice);
        plan = dice.Of(0, 0, 0, 0, 0, 1, 1, 1, 2) switch
        {
            0 => plan,
            1 => Companions.Join(plan, dice),
            _ => Crowds.Plan(seed, dice),
        };
        if (dice.OneIn(6))
            plan = plan with { Workers = [.. plan.Workers.Select(worker => worker with { Store = Store(dice) })] };
        if (dice.OneIn(6))
            plan = plan.WithConsumers(consumer => Brakes.PutOn(consumer, dice));
        if (dice.OneIn(6))
            plan = plan with { Messages = [.. plan.Messages.Select(message => message with { Notices = dice.Between(0, 2) })] };
        if (dice.OneIn(6))
            plan = plan.WithConsumers(consumer => consumer with { AttemptTimeout = AttemptTimeout(dice, consumer) });
        if (dice.OneIn(6))
            plan = WithWeight(plan, dice);
        if (dice.OneIn(6))
            plan = plan with { Queues = [.. plan.Queues.Select(queue => queue with { Broker = WithLongSettlements(queue.Broker, dice) })] };
        if (dice.OneIn(6))
            plan = plan with { Messages = [.. plan.Messages.Select(message => message with { Id = dice.Of("", "a", "b") })] };
        if (dice.OneIn(6))
            plan = plan with { Troubles = [.. plan.Troubles.Concat(BusyTimes(dice, plan)).OrderBy(trouble => trouble.At)] };
        if (dice.OneIn(6))
            plan = WithoutAnswers(plan, dice);
        if (dice.OneIn(6))
            plan = plan with { Messages = [.. plan.Messages.Select(message => message with { IsGarbled = dice.OneIn(4) })] };
        if (dice.OneIn(4))
            plan = plan with { Workers = [.. plan.Workers.Select(worker => worker with { TurnOrder = TurnOrder.RoundRobin })] };
        return plan;
    }

    public static BrokerPlan Broker(Dice dice)
    {
        var length = dice.Milliseconds(400, 6000);
        return new(length, dice.OneIn(5) ? length * dice.Of(1.5, 3) : null, dice.OneIn(4), dice.OneIn(6) ? dice.Between(2, 5) : 1000);
    }

    // More often where what waits for its turn may not wait for ever.
    public static int Keys(Dice dice, BrokerPlan broker) => dice.OneIn(broker.HoldLimit is null ? 4 : 2) ? dice.Between(1, 4) : 0;

    public static ConsumerPlan Consumer(Dice dice) => new()
    {
        MaxConcurrency = dice.Of(1, 2, 4, 8, 16),
        IsAdaptive = dice.OneIn(3),
        ImmediateRetries = dice.Between(0, 2),
        MaxDeliveries = dice.Between(1, 5),
        RetryDelay = dice.Milliseconds(10, 1500),
    };

    public static MessagePlan Message(Dice dice, TimeSpan calm, TimeSpan length, double heaviness)
    {
        var steps = new Step[dice.Between(0, dice.Of(2, 5))];
        for (var i = 0; i < steps.Length; i++)
            steps[i] = Step(dice, length * heaviness);

        var ending = dice.Of(Ending.Complete, Ending.Complete, Ending.Complete, Ending.Complete, Ending.Throw, Ending.Throw, Ending.Abandon, Ending.Delay, Ending.DeadLetter, Ending.Unreadable);
        return new()
        {
            Queue = 0,
            SentAt = dice.OneIn(3) ? TimeSpan.Zero : dice.Within(calm),
            Priority = dice.Of<byte>(0, 0, 0, 1, 4, 9),
            Steps = steps,
            Ending = ending,
            Failures = ending is Ending.Throw && dice.OneIn(4) ? int.MaxValue : dice.Between(1, 3),
            HeedsToken = !dice.OneIn(4),
        };
    }

    public static Trouble Trouble(Dice dice, TimeSpan calm, TimeSpan length, int workers)
    {
        // Busy times have dice of their own.
        var kind = (TroubleKind)dice.Between(0, (int)TroubleKind.Neighbours);
        var lasts = kind switch
        {
            TroubleKind.Stop => dice.Milliseconds(1, 3000),
            TroubleKind.Halt => dice.Milliseconds(length.TotalMilliseconds / 20, length.TotalMilliseconds * 4),
            _ => dice.Milliseconds(10, length.TotalMilliseconds * 3),
        };
        var size = kind switch
        {
            TroubleKind.SlowRenewals or TroubleKind.SlowSettlements or TroubleKind.SlowReceives => (int)dice.Milliseconds(10, length.TotalMilliseconds).TotalMilliseconds,
            TroubleKind.Revocation or TroubleKind.Neighbours => dice.Between(1, 5),
            TroubleKind.Stop => dice.Between(0, 2500),
            _ => dice.Of(200, 500, 1000),
        };
        return new(dice.Within(calm), kind, dice.Between(0, workers - 1), lasts, size);
    }

    private static WorldPlan Plan(int seed, Dice dice)
    {
        var broker = Broker(dice);
        var calm = TimeSpan.FromSeconds(dice.Between(3, 15));
        var workers = new WorkerPlan[dice.Of(1, 1, 2, 2, 3)];
        for (var i = 0; i < workers.Length; i++)
            workers[i] = Worker(dice, calm, isLate: i > 0 && dice.OneIn(2));

        var heaviness = dice.Of(0.2, 0.5, 1, 2);
        var messages = new MessagePlan[dice.Between(1, dice.Of(8, 25))];
        for (var i = 0; i < messages.Length; i++)
            messages[i] = Message(dice, calm, broker.Lock, heaviness);

        // A quiet world now and then: what fails there is no trouble's fault.
        var troubles = new Trouble[dice.OneIn(8) ? 0 : dice.Between(1, 10)];
        for (var i = 0; i < troubles.Length; i++)
            troubles[i] = Trouble(dice, calm, broker.Lock, workers.Length);
        return new()
        {
            Seed = seed,
            Queues = [new(broker, Keys(dice, broker))],
            Workers = workers,
            Messages = messages,
            Troubles = [.. troubles.OrderBy(trouble => trouble.At)],
            CalmAt = calm,
        };
    }

    private static WorkerPlan Worker(Dice dice, TimeSpan calm, bool isLate) => new()
    {
        Threads = dice.Between(1, 3),
        IsSingleThread = dice.OneIn(5),
        Ageing = dice.OneIn(3) ? dice.Milliseconds(200, 5000) : TimeSpan.FromHours(1),
        StartAt = isLate ? dice.Within(calm) : TimeSpan.Zero,
        Distance = dice.OneIn(3) ? TimeSpan.Zero : dice.Milliseconds(0.5, 30),
        Queues = [Consumer(dice)],
    };

    // What always takes too long would open a breaker each time, and a world of a hundred such messages would never end.
    private static TimeSpan? AttemptTimeout(Dice dice, ConsumerPlan consumer) => consumer.Breaker is null ? dice.Milliseconds(50, 3000) : null;

    // From more than all that may be in hand to a fraction of one message.
    private static WorldPlan WithWeight(WorldPlan plan, Dice dice)
    {
        var largest = dice.Between(1, 5000);
        plan = plan with { Messages = [.. plan.Messages.Select(message => message with { Size = dice.Between(0, largest) })] };
        return plan.WithConsumers(consumer => consumer with { MaxBytes = dice.Between(1, dice.Of(2, 5, 20) * largest) });
    }

    // Where one message at a time is in hand, a world of a hundred must still end.
    private static BrokerPlan WithLongSettlements(BrokerPlan broker, Dice dice) =>
        broker with { LongSettlement = dice.Milliseconds(10, Math.Min(broker.Lock.TotalMilliseconds * 3, 6000)) };

    // Such a lease ends with its connection, and is not taken back before: its worker would not hear of it. What is slow to leave may be lost with that.
    private static WorldPlan WithoutAnswers(WorldPlan plan, Dice dice) => plan with
    {
        Queues = [.. plan.Queues.Select(queue => queue with { Broker = queue.Broker with { IsConnectionBound = true, CompletesUnanswered = true } })],
        Troubles = [.. plan.Troubles.Where(trouble => trouble.Kind != TroubleKind.Revocation).Concat(LossesOnTheWay(dice, plan)).OrderBy(trouble => trouble.At)],
    };

    private static IEnumerable<Trouble> LossesOnTheWay(Dice dice, WorldPlan plan)
    {
        for (var left = dice.Between(0, 3); left > 0; left--)
        {
            var (at, slow) = (dice.Within(plan.CalmAt), dice.Milliseconds(20, 500));
            var (worker, queue) = (dice.Between(0, plan.Workers.Length - 1), dice.Between(0, plan.Queues.Length - 1));
            yield return new(at, TroubleKind.SlowSettlements, worker, slow, (int)slow.TotalMilliseconds, queue);
            yield return new(at + slow, TroubleKind.Cut, worker, dice.Milliseconds(1, 100), 0, queue);
        }
    }

    private static IEnumerable<Trouble> BusyTimes(Dice dice, WorldPlan plan)
    {
        for (var left = dice.Between(1, 4); left > 0; left--)
            yield return new(dice.Within(plan.CalmAt), TroubleKind.Busy, dice.Between(0, plan.Workers.Length - 1), dice.Milliseconds(10, 4000), dice.Between(10, dice.Of(300, 3000)), dice.Between(0, plan.Queues.Length - 1));
    }

    private static StorePlan Store(Dice dice)
    {
        var isSound = !dice.OneIn(3);
        return new(dice.Milliseconds(1, 1000), isSound ? 0 : dice.Of(0, 50, 300), isSound ? 0 : dice.Of(50, 300));
    }

    private static Step Step(Dice dice, TimeSpan length)
    {
        var kind = dice.Of(StepKind.Burn, StepKind.Burn, StepKind.Wait, StepKind.Wait, StepKind.Wait, dice.Of(StepKind.Wait, StepKind.Block), dice.Of(StepKind.Burn, StepKind.Escape));
        var longest = length.TotalMilliseconds * (kind is StepKind.Burn or StepKind.Escape ? 0.6 : 1.5);
        return new(kind, dice.Milliseconds(1, Math.Max(2, longest)));
    }
}
