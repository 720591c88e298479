using Holdfast.Consumer;

namespace Holdfast.Tests.Worlds;

/// <summary>Plans what keeps a consumer from taking all that it has room for: a breaker, a rate, or both.</summary>
internal static class Brakes
{
    public static ConsumerPlan PutOn(ConsumerPlan consumer, Dice dice)
    {
        var kind = dice.Between(0, 2);
        return consumer with { Breaker = kind != 1 ? Breaker(dice) : null, RateLimit = kind != 0 ? RateLimit(dice) : null };
    }

    private static BreakerOptions Breaker(Dice dice)
    {
        var pause = dice.Milliseconds(50, 1500);
        return new()
        {
            FailureRatio = dice.Of(0.2, 0.5, 1),
            MinimumHandled = dice.Between(1, 4),
            Window = dice.Milliseconds(500, 10_000),
            Pause = pause,
            MaxPause = pause * dice.Of(1, 2, 4),
        };
    }

    private static RateLimitOptions RateLimit(Dice dice) => new()
    {
        PerSecond = dice.Of(2, 5, 20, 100),
        Burst = dice.OneIn(2) ? dice.Between(1, 5) : null,
    };
}
