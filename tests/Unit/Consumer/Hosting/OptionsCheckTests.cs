using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class OptionsCheckTests
{
    public static TheoryData<string, Action<HoldfastOptions, QueueOptions>> Mistakes => new()
    {
        { "Threads", (all, _) => all.Threads = 0 },
        { "Threads", (all, _) => (all.Threads, all.SingleThread) = (2, true) },
        { "MaxSpareThreads", (all, _) => all.MaxSpareThreads = -1 },
        { "Niceness", (all, _) => all.Niceness = 20 },
        { "Niceness", (all, _) => (all.Niceness, all.SingleThread) = (1, true) },
        { "Niceness", (all, _) => (all.Niceness, all.SingleThread) = (20, true) },
        { "LongTurn", (all, _) => all.LongTurn = TimeSpan.Zero },
        { "Ageing", (all, _) => all.Ageing = TimeSpan.Zero },
        { "TurnOrder", (all, _) => all.TurnOrder = (TurnOrder)9 },
        { "DrainTimeout", (all, _) => all.DrainTimeout = TimeSpan.FromSeconds(-1) },
        { "MaxConcurrency", (_, queue) => queue.MaxConcurrency = 0 },
        { "MaxBytesInFlight", (_, queue) => queue.MaxBytesInFlight = 0 },
        { "Admission", (_, queue) => queue.Admission = (AdmissionMode)9 },
        { "Lease", (_, queue) => queue.Lease = null! },
        { "Lease__AtLimit", (_, queue) => queue.Lease.AtLimit = (AtLimit)9 },
        { "Lease__MinMargin", (_, queue) => queue.Lease.MinMargin = TimeSpan.Zero },
        { "Lease__MinMargin", (_, queue) => queue.Lease.MinMargin = TimeSpan.FromSeconds(6) },
        { "Lease__MaxMargin", (_, queue) => queue.Lease.MaxMargin = TimeSpan.FromMilliseconds(1) },
        { "Lease__RenewAfter", (_, queue) => queue.Lease.RenewAfter = double.NaN },
        { "Lease__RenewAfter", (_, queue) => queue.Lease.RenewAfter = 0.9 },
        { "Retry", (_, queue) => queue.Retry = null! },
        { "Retry__Immediate", (_, queue) => queue.Retry.Immediate = 21 },
        { "Retry__ImmediateDelay", (_, queue) => queue.Retry.ImmediateDelay = TimeSpan.FromMinutes(2) },
        { "Retry__MaxDeliveries", (_, queue) => queue.Retry.MaxDeliveries = 0 },
        { "Retry__Delay", (_, queue) => queue.Retry.Delay = TimeSpan.Zero },
        { "Retry__Delay", (_, queue) => queue.Retry.Delay = TimeSpan.FromHours(1) },
        { "Retry__MaxDelay", (_, queue) => queue.Retry.MaxDelay = TimeSpan.FromSeconds(1) },
        { "Retry__MaxDelay", (_, queue) => queue.Retry.MaxDelay = TimeSpan.FromDays(31) },
        { "Retry__AttemptTimeout", (_, queue) => queue.Retry.AttemptTimeout = TimeSpan.FromMilliseconds(1) },
        { "Retry__On<TimeoutException>__Immediate", (_, queue) => queue.Retry.On<TimeoutException>(rule => rule.Immediate = -1) },
        { "Retry__On<TimeoutException>__Delay", (_, queue) => queue.Retry.On<TimeoutException>(rule => rule.Delay = TimeSpan.FromHours(1)) },
        { "Retry__On<TimeoutException>__DeadLetterReason", (_, queue) => queue.Retry.On<TimeoutException>(rule => rule.DeadLetterReason = "") },
        { "Breaker", (_, queue) => queue.Breaker = null! },
        { "Breaker__FailureRatio", (_, queue) => queue.Breaker.FailureRatio = 1.1 },
        { "Breaker__FailureRatio", (_, queue) => queue.Breaker.FailureRatio = double.NaN },
        { "Breaker__MinimumHandled", (_, queue) => queue.Breaker.MinimumHandled = 0 },
        { "Breaker__Window", (_, queue) => queue.Breaker.Window = TimeSpan.Zero },
        { "Breaker__Pause", (_, queue) => queue.Breaker.Pause = TimeSpan.Zero },
        { "Breaker__Pause", (_, queue) => queue.Breaker.Pause = TimeSpan.FromHours(1) },
        { "Breaker__MaxPause", (_, queue) => queue.Breaker.MaxPause = TimeSpan.FromHours(25) },
        { "Breaker__MaxPause", (_, queue) => queue.Breaker.MaxPause = TimeSpan.FromSeconds(1) },
        { "RateLimit", (_, queue) => queue.RateLimit = null! },
        { "RateLimit__PerSecond", (_, queue) => queue.RateLimit.PerSecond = -1 },
        { "RateLimit__PerSecond", (_, queue) => queue.RateLimit.PerSecond = double.NaN },
        { "RateLimit__Burst", (_, queue) => queue.RateLimit.Burst = 0 },
        { "RateLimit__Burst", (_, queue) => (queue.RateLimit.PerSecond, queue.RateLimit.Burst) = (1000, 99) },
    };

    [Theory]
    [MemberData(nameof(Mistakes), DisableDiscoveryEnumeration = true)]
    public void Each_mistake_names_its_setting_and_no_other(string setting, Action<HoldfastOptions, QueueOptions> make)
    {
        var (all, queue) = (new HoldfastOptions(), new QueueOptions());
        make(all, queue);

        var error = Assert.Single(OptionsCheck.Of(all).Concat(OptionsCheck.Of(queue)));

        Assert.Equal(setting, error.Setting);
        Assert.Contains(';', error.Problem);
    }

    [Fact]
    public void What_is_just_at_its_bounds_is_right()
    {
        var (minute, day) = (TimeSpan.FromMinutes(1), TimeSpan.FromHours(24));
        var all = new HoldfastOptions { MaxSpareThreads = 10_000, Niceness = 19, DrainTimeout = day };
        var queue = new QueueOptions
        {
            MaxConcurrency = 1_000_000,
            MaxBytesInFlight = 1,
            Retry = { Immediate = 20, ImmediateDelay = minute, MaxDeliveries = 1000, Delay = TimeSpan.FromDays(30), MaxDelay = TimeSpan.FromDays(30), AttemptTimeout = day },
            Breaker = { FailureRatio = 1, MinimumHandled = 1_000_000, Window = day, Pause = day, MaxPause = day },
        };
        Assert.Empty(OptionsCheck.Of(all).Concat(OptionsCheck.Of(queue)));

        all.DrainTimeout = queue.Retry.ImmediateDelay = TimeSpan.Zero;
        queue.Retry.AttemptTimeout = TimeSpan.FromMilliseconds(10);
        (queue.Breaker.Window, queue.Breaker.Pause, queue.Breaker.MaxPause) = (TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
        queue.Lease.MaxMargin = queue.Lease.MinMargin;
        Assert.Empty(OptionsCheck.Of(all).Concat(OptionsCheck.Of(queue)));
    }

    [Fact]
    public void What_is_set_by_default_is_right() =>
        Assert.Empty(OptionsCheck.Of(new HoldfastOptions()).Concat(OptionsCheck.Of(new QueueOptions())));
}
