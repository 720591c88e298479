using System.Runtime.InteropServices;
using Holdfast.Consumer;

namespace Holdfast.Tests.Worlds;

/// <summary>Where a worker may take only so many messages a second it takes no more, however many have come together.</summary>
internal sealed class RateIsKept(WorldPlan plan) : Rule(plan)
{
    private const double BurstSeconds = 0.25;

    // Of one more a part may be saved up beyond a burst; and what binary fractions lose is no message.
    private const double BeyondBurst = 1;
    private const double Rounding = 0.001;

    private readonly Dictionary<(int Life, int Queue), (double Left, TimeSpan At)> _buckets = [];

    protected override void See(in Event happened)
    {
        if (happened.Kind == EventKind.Started)
            Begin(happened);
        else if (happened.Kind == EventKind.Received && ConsumerOf(happened.Life, happened.Message).RateLimit is { } rate)
            Take(happened, rate);
    }

    private static double BurstOf(RateLimitOptions rate) => rate.Burst ?? Math.Max(1, Math.Ceiling(rate.PerSecond * BurstSeconds));

    private void Begin(Event started)
    {
        for (var queue = 0; queue < Plan.Queues.Length; queue++)
        {
            if (WorkerOf(started.Life).Queues[queue].RateLimit is { } rate)
                _buckets[(started.Life, queue)] = (BurstOf(rate), started.Time);
        }
    }

    private void Take(Event received, RateLimitOptions rate)
    {
        ref var bucket = ref CollectionsMarshal.GetValueRefOrNullRef(_buckets, (received.Life, Plan.QueueOf(received.Message)));
        var filled = bucket.Left + ((received.Time - bucket.At).TotalSeconds * rate.PerSecond);
        bucket = (Math.Min(BurstOf(rate) + BeyondBurst, filled) - 1, received.Time);
        if (bucket.Left < -Rounding)
            Broken($"m{received.Message} was taken before its time: of {rate.PerSecond} a second there were {-bucket.Left:0.00} too many.");
    }
}
