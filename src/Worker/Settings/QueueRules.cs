using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of each queue, and of all queues together.</summary>
internal static class QueueRules
{
    private static readonly TimeSpan s_shortestHalf = TimeSpan.FromMilliseconds(500);

    // What does nothing while what switches it on is not set.
    private static readonly (string Switch, string Example, string[] Settings)[] s_switched =
    [
        ("Breaker__FailureRatio", "0.5", ["Breaker__MinimumHandled", "Breaker__Window", "Breaker__Pause", "Breaker__MaxPause"]),
        ("RateLimit__PerSecond", "50", ["RateLimit__Burst"]),
    ];

    public static IEnumerable<OptionError> Broken(WorkerSettings settings, IConfigurationSection section) =>
        Whole(section)
            .Concat(Strays(section.GetSection(WorkerSettings.QueuesKey)))
            .Concat(Twice(settings))
            .Concat(Beside(settings))
            .Concat(settings.Queues.SelectMany(queue => Of(queue, settings).Concat(Engine(queue, settings.Worker)).Select(queue.Place)));

    private static IEnumerable<OptionError> Of(QueueSettings queue, WorkerSettings settings)
    {
        var (handling, demo) = (queue.Handling, queue.Handling.Demo);
        return Rules.OneOf("Handler", handling.Handler, Catalog.Handlers.Keys)
            .Concat(Rules.Must(demo.Turns >= 1, "Demo__Turns", demo.Turns, "out of range; set 1 or more"))
            .Concat(Rules.Must(demo.CpuMilliseconds >= 0, "Demo__CpuMilliseconds", demo.CpuMilliseconds, "out of range; set 0 or more"))
            .Concat(Rules.Must(demo.IoMilliseconds >= 0, "Demo__IoMilliseconds", demo.IoMilliseconds, "out of range; set 0 or more"))
            .Concat(Rules.Must(demo.Produce is 0 or (>= 0.001 and <= 100_000), "Demo__Produce", demo.Produce, "out of range; set 0, or 0.001 to 100000 messages a second"))
            .Concat(handling.Uses("Http") ? HttpRules.Broken(handling.Http) : [])
            .Concat(handling.Uses("Exec") ? ExecRules.Broken(handling.Exec) : [])
            .Concat(SwitchedOff(queue, settings))
            .Concat(Broker(queue, settings));
    }

    // Only with settings that can be is there anything to reckon.
    private static OptionError[] Engine(QueueSettings queue, WorkerOptions worker)
    {
        OptionError[] errors = [.. OptionsCheck.Of(queue.Options)];
        return errors.Length > 0 ? errors : [.. RetryRules.Broken(queue, worker)];
    }

    private static IEnumerable<OptionError> Broker(QueueSettings queue, WorkerSettings settings) =>
        settings.Worker.Uses("InMemory") ? Margins(queue, settings.Worker.InMemory.LockDuration / 2, "half of Worker__InMemory__LockDuration")
        : settings.Worker.Uses("RabbitMq") ? Margins(queue, settings.Worker.RabbitMq.Heartbeat, "which is Worker__RabbitMq__Heartbeat").Concat(RabbitMqRules.Broken(queue, settings.Queues[0], settings.Worker.RabbitMq))
        : settings.Worker.Uses("ServiceBus") ? ServiceBusRules.Broken(queue)
        : [];

    // A lock that can't be is told by itself. Left alone, the largest margin follows the lock by itself; asked for, it must be possible.
    private static IEnumerable<OptionError> Margins(QueueSettings queue, TimeSpan half, string what)
    {
        var (lease, limit) = (queue.Options.Lease, $"too long; set less than {SettingValue.Show(half)}, {what}");
        return half < s_shortestHalf ? []
            : Rules.Must(lease.MinMargin < half, "Lease__MinMargin", lease.MinMargin, limit)
                .Concat(Rules.Must(lease.MaxMargin < half || !queue.Sets("Lease__MaxMargin"), "Lease__MaxMargin", lease.MaxMargin, limit));
    }

    // A queue may leave off what others have switched on.
    private static IEnumerable<OptionError> SwitchedOff(QueueSettings queue, WorkerSettings settings) =>
        from it in s_switched
        where !settings.Queues.Any(other => other.Sets(it.Switch))
        from setting in it.Settings
        where queue.Sets(setting)
        select new OptionError(setting, $"It does nothing while {WorkerSettings.Prefix}{it.Switch} is not set; set that too, such as {it.Example}, or leave both out.");

    // Where all settings should stand, but a value does.
    private static IEnumerable<OptionError> Whole(IConfigurationSection section) =>
        string.IsNullOrWhiteSpace(section.Value) ? [] : [new(WorkerSettings.Section, $"It holds settings of its own; set one of those, such as {WorkerSettings.Prefix}Queue.")];

    // Where a queue's name should stand, but a value does.
    private static IEnumerable<OptionError> Strays(IConfigurationSection queues) =>
        queues.GetChildren().Prepend(queues)
            .Where(stray => !string.IsNullOrWhiteSpace(stray.Value))
            .Select(stray => stray == queues ? WorkerSettings.QueuesKey : $"{WorkerSettings.QueuesKey}__{stray.Key}")
            .Select(name => new OptionError(name, $"It holds settings of its own; set one of those, such as {WorkerSettings.Prefix}{(name == WorkerSettings.QueuesKey ? $"{name}__orders" : name)}__Handler."));

    private static IEnumerable<OptionError> Twice(WorkerSettings settings) =>
        settings.Queues.GroupBy(queue => queue.Handling.Queue, StringComparer.Ordinal)
            .SelectMany(same => same.Skip(1))
            .Select(queue => queue.Place(new("Queue", $"{queue.Handling.Queue} is consumed under another name already; name each queue once.")));

    private static IEnumerable<OptionError> Beside(WorkerSettings settings) =>
        settings.Queues[0] is { Path.Length: > 0 } first && first.SetsForAll("Queue")
            ? [new("Queue", $"It is set beside queues that have names of their own; leave it out, and set such as {WorkerSettings.Prefix}{first.Path}Queue.")]
            : [];
}
