namespace Holdfast.Tests.Worlds;

/// <summary>Plans a worker that has more to burn than its cores can give, and shares these with others: its limit is to follow, and nothing else happens there.</summary>
internal static class Crowds
{
    public static WorldPlan Plan(int seed, Dice dice)
    {
        var calm = TimeSpan.FromSeconds(dice.Between(3, 6));
        var threads = dice.Between(1, 3);
        var burn = dice.Milliseconds(10, 60);
        var messages = new MessagePlan[dice.Between(60, 120)];
        for (var i = 0; i < messages.Length; i++)
            messages[i] = Message(dice, burn);

        return new()
        {
            Seed = seed,
            Queues = [new(new(dice.Milliseconds(2000, 30_000), null, false, 1000), 0)],
            Workers = [Worker(dice, threads)],
            Messages = messages,
            Troubles = dice.OneIn(4) ? [] : [new(dice.Within(calm / 4), TroubleKind.Neighbours, 0, calm, threads * dice.Between(1, 4))],
            CalmAt = calm,
        };
    }

    private static WorkerPlan Worker(Dice dice, int threads) => new()
    {
        Threads = threads,
        IsSingleThread = threads == 1 && dice.OneIn(2),
        Ageing = TimeSpan.FromHours(1),
        StartAt = TimeSpan.Zero,
        Distance = dice.OneIn(2) ? TimeSpan.Zero : dice.Milliseconds(0.5, 10),
        Queues = [Planner.Consumer(dice) with { MaxConcurrency = 100, IsAdaptive = true }],
    };

    private static MessagePlan Message(Dice dice, TimeSpan burn) => new()
    {
        Queue = 0,
        SentAt = TimeSpan.Zero,
        Priority = dice.Of<byte>(0, 4),
        Steps = [new(StepKind.Burn, burn)],
        Ending = Ending.Complete,
        Failures = 1,
        HeedsToken = true,
    };
}
