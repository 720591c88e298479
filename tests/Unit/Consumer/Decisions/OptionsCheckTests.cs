using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class OptionsCheckTests
{
    public static TheoryData<string, Action<HoldfastOptions, QueueOptions>> Mistakes => new()
    {
        { "Threads", (all, _) => all.Threads = 0 },
        { "Threads", (all, _) => (all.Threads, all.SingleThread) = (2, true) },
        { "MaxSpareThreads", (all, _) => all.MaxSpareThreads = -1 },
        { "Niceness", (all, _) => all.Niceness = 20 },
        { "LongTurn", (all, _) => all.LongTurn = TimeSpan.Zero },
        { "Ageing", (all, _) => all.Ageing = TimeSpan.Zero },
        { "DrainTimeout", (all, _) => all.DrainTimeout = TimeSpan.FromSeconds(-1) },
        { "MaxConcurrency", (_, queue) => queue.MaxConcurrency = 0 },
        { "MaxBytesInFlight", (_, queue) => queue.MaxBytesInFlight = 0 },
        { "Lease__MinMargin", (_, queue) => queue.Lease.MinMargin = TimeSpan.Zero },
        { "Lease__MaxMargin", (_, queue) => queue.Lease.MaxMargin = TimeSpan.FromMilliseconds(1) },
        { "Lease__RenewAfter", (_, queue) => queue.Lease.RenewAfter = double.NaN },
        { "Lease__RenewAfter", (_, queue) => queue.Lease.RenewAfter = 0.9 },
        { "Retry__Immediate", (_, queue) => queue.Retry.Immediate = 21 },
        { "Retry__ImmediateDelay", (_, queue) => queue.Retry.ImmediateDelay = TimeSpan.FromMinutes(2) },
        { "Retry__MaxDeliveries", (_, queue) => queue.Retry.MaxDeliveries = 0 },
        { "Retry__Delay", (_, queue) => queue.Retry.Delay = TimeSpan.Zero },
        { "Retry__MaxDelay", (_, queue) => queue.Retry.MaxDelay = TimeSpan.FromSeconds(1) },
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
    public void What_is_set_by_default_is_right() =>
        Assert.Empty(OptionsCheck.Of(new HoldfastOptions()).Concat(OptionsCheck.Of(new QueueOptions())));
}
