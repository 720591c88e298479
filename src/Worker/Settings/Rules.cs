using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the worker's own settings; those of the engine have their check there.</summary>
internal static class Rules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings, IConfiguration configuration)
    {
        var (worker, demo) = (settings.Worker, settings.Handling.Demo);
        return OneOf("Broker", worker.Broker, Catalog.Brokers.Keys)
            .Concat(OneOf("Handler", settings.Handling.Handler, Catalog.Handlers.Keys))
            .Concat(Must(demo.Turns >= 1, "Demo__Turns", demo.Turns, "out of range; set 1 or more"))
            .Concat(Must(demo.CpuMilliseconds >= 0, "Demo__CpuMilliseconds", demo.CpuMilliseconds, "out of range; set 0 or more"))
            .Concat(Must(demo.IoMilliseconds >= 0, "Demo__IoMilliseconds", demo.IoMilliseconds, "out of range; set 0 or more"))
            .Concat(Must(demo.Produce is 0 or (>= 0.001 and <= 100_000), "Demo__Produce", demo.Produce, "out of range; set 0, or 0.001 to 100000 messages a second"))
            .Concat(settings.Handling.Uses("Http") ? HttpRules.Broken(settings.Handling.Http) : [])
            .Concat(Broker(settings, configuration));
    }

    // Left alone, the largest margin follows the lock by itself; asked for, it must be possible.
    public static IEnumerable<OptionError> Margins(LeaseOptions lease, TimeSpan half, string what, IConfiguration configuration)
    {
        var isMaxAskedFor = !string.IsNullOrWhiteSpace(configuration["Worker:Lease:MaxMargin"]);
        var limit = $"too long; set less than {SettingValue.Show(half)}, {what}";
        return Must(lease.MinMargin < half, "Lease__MinMargin", lease.MinMargin, limit)
            .Concat(Must(lease.MaxMargin < half || !isMaxAskedFor, "Lease__MaxMargin", lease.MaxMargin, limit));
    }

    public static IEnumerable<OptionError> Must(bool holds, string setting, object value, string rule) =>
        holds ? [] : [new(setting, $"{SettingValue.Show(value)} is {rule}.")];

    /// <summary>What is wrong with a text that somebody else reads, if it is set at all.</summary>
    public static IEnumerable<OptionError> Read<T>(string setting, string? text, Func<string, T> read)
    {
        try
        {
            if (text is not null)
                read(text);
            return [];
        }
        catch (FormatException wrong)
        {
            return [new(setting, wrong.Message)];
        }
    }

    private static IEnumerable<OptionError> Broker(WorkerSettings settings, IConfiguration configuration) =>
        settings.Worker.Uses("InMemory") ? Lock(settings, configuration)
        : settings.Worker.Uses("RabbitMq") ? RabbitMqRules.Broken(settings, configuration)
        : settings.Worker.Uses("ServiceBus") ? ServiceBusRules.Broken(settings)
        : [];

    private static IEnumerable<OptionError> Lock(WorkerSettings settings, IConfiguration configuration)
    {
        var memory = settings.Worker.InMemory;
        return Must(memory.MaxDeliveries >= 1, "InMemory__MaxDeliveries", memory.MaxDeliveries, "out of range; set 1 or more")
            .Concat(memory.LockDuration >= TimeSpan.FromSeconds(1)
                ? Margins(settings.Queue.Lease, memory.LockDuration / 2, "half of Worker__InMemory__LockDuration", configuration)
                : Must(false, "InMemory__LockDuration", memory.LockDuration, "too short; set 1s or more"));
    }

    private static IEnumerable<OptionError> OneOf(string setting, string value, IEnumerable<string> names) =>
        Must(names.Contains(value, StringComparer.OrdinalIgnoreCase), setting, value, $"unknown; set {Or([.. names])}");

    private static string Or(string[] names) =>
        names.Length == 1 ? names[0] : $"{string.Join(", ", names[..^1])} or {names[^1]}";
}
