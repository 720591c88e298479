using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the worker's own settings; the engine checks those it is given.</summary>
internal static class Rules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings, IConfiguration configuration)
    {
        var (worker, demo) = (settings.Worker, settings.Worker.Demo);
        return OneOf("Broker", worker.Broker, Catalog.Brokers.Keys)
            .Concat(OneOf("Handler", worker.Handler, Catalog.Handlers.Keys))
            .Concat(Must(demo.Turns >= 1, "Demo__Turns", demo.Turns, "must be at least 1"))
            .Concat(Must(demo.CpuMilliseconds >= 0, "Demo__CpuMilliseconds", demo.CpuMilliseconds, "must be 0 or more"))
            .Concat(Must(demo.IoMilliseconds >= 0, "Demo__IoMilliseconds", demo.IoMilliseconds, "must be 0 or more"))
            .Concat(Must(demo.Produce is 0 or (>= 0.001 and <= 100_000), "Demo__Produce", demo.Produce, "must be 0, or from 0.001 to 100000 messages a second"))
            .Concat(Drain(settings.Engine.DrainTimeout))
            .Concat(worker.Broker.Equals("InMemory", StringComparison.OrdinalIgnoreCase) ? Lock(settings, configuration) : []);
    }

    private static IEnumerable<OptionError> Drain(TimeSpan drain) =>
        Must(drain >= TimeSpan.Zero && drain <= TimeSpan.FromDays(1), "DrainTimeout", drain, "must be from 0s to 1d");

    private static IEnumerable<OptionError> Lock(WorkerSettings settings, IConfiguration configuration)
    {
        var memory = settings.Worker.InMemory;
        return Must(memory.MaxDeliveries >= 1, "InMemory__MaxDeliveries", memory.MaxDeliveries, "must be at least 1")
            .Concat(memory.LockDuration >= TimeSpan.FromSeconds(1)
                ? Margins(settings.Queue.Lease, memory.LockDuration / 2, configuration)
                : Must(false, "InMemory__LockDuration", memory.LockDuration, "must be at least 1s"));
    }

    // Left alone, the largest margin follows the lock by itself; asked for, it must be possible.
    private static IEnumerable<OptionError> Margins(LeaseOptions lease, TimeSpan half, IConfiguration configuration)
    {
        var isMaxAskedFor = !string.IsNullOrWhiteSpace(configuration["Worker:Lease:MaxMargin"]);
        var limit = $"must be less than {SettingValue.Show(half)}, half of Worker__InMemory__LockDuration";
        return Must(lease.MinMargin < half, "Lease__MinMargin", lease.MinMargin, limit)
            .Concat(Must(lease.MaxMargin < half || !isMaxAskedFor, "Lease__MaxMargin", lease.MaxMargin, limit));
    }

    private static IEnumerable<OptionError> OneOf(string setting, string value, IEnumerable<string> names) =>
        Must(names.Contains(value, StringComparer.OrdinalIgnoreCase), setting, value, $"must be {string.Join(" or ", names)}");

    private static IEnumerable<OptionError> Must(bool holds, string setting, object value, string rule) =>
        holds ? [] : [new(setting, $"is '{SettingValue.Show(value)}', but {rule}")];
}
