namespace Holdfast.Tests.Worlds;

/// <summary>Adds queues to a plan, which the same workers consume: each is a kind of its own, and some want all that the threads can give.</summary>
internal static class Companions
{
    private enum Kind
    {
        /// <summary>Its messages burn CPU, and with some of them in hand there is always one that has a next turn.</summary>
        Busy,

        /// <summary>Its messages await something, and hardly need a thread.</summary>
        Awaiting,

        /// <summary>As those of a single queue are.</summary>
        Mixed,
    }

    public static WorldPlan Join(WorldPlan plan, Dice dice)
    {
        for (var more = dice.Between(1, 2); more > 0; more--)
            plan = JoinOne(plan, dice);
        return plan with { Troubles = [.. plan.Troubles.OrderBy(trouble => trouble.At)] };
    }

    private static WorldPlan JoinOne(WorldPlan plan, Dice dice)
    {
        var (number, kind) = (plan.Queues.Length, dice.Of(Kind.Busy, Kind.Busy, Kind.Awaiting, Kind.Mixed));
        var broker = Planner.Broker(dice);
        var messages = new MessagePlan[dice.Between(2, kind == Kind.Busy ? 12 : 8)];
        for (var i = 0; i < messages.Length; i++)
            messages[i] = Message(dice, plan.CalmAt, broker.Lock, kind) with { Queue = number };
        var troubles = new Trouble[dice.OneIn(2) ? 0 : dice.Between(1, 3)];
        for (var i = 0; i < troubles.Length; i++)
            troubles[i] = Planner.Trouble(dice, plan.CalmAt, broker.Lock, plan.Workers.Length) with { Queue = number };
        return plan with
        {
            Queues = [.. plan.Queues, new(broker, Planner.Keys(dice, broker))],
            Workers = [.. plan.Workers.Select(worker => worker with { Queues = [.. worker.Queues, Planner.Consumer(dice)] })],
            Messages = [.. plan.Messages, .. messages],
            Troubles = [.. plan.Troubles, .. troubles],
        };
    }

    private static MessagePlan Message(Dice dice, TimeSpan calm, TimeSpan length, Kind kind)
    {
        var message = Planner.Message(dice, calm, length, heaviness: 0.5);
        return kind switch
        {
            Kind.Busy => message with { SentAt = dice.OneIn(4) ? message.SentAt : TimeSpan.Zero, Steps = [.. Turns(dice).SelectMany(turn => turn)] },
            Kind.Awaiting => message with { Steps = [new(StepKind.Wait, dice.Milliseconds(10, 1500)), new(StepKind.Wait, dice.Milliseconds(10, 1500))] },
            _ => message,
        };
    }

    private static IEnumerable<Step[]> Turns(Dice dice)
    {
        for (var left = dice.Between(2, 8); left > 0; left--)
            yield return [new(StepKind.Burn, dice.Milliseconds(20, 300)), new(StepKind.Wait, TimeSpan.FromMilliseconds(1))];
    }
}
