using Holdfast.Consumer;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the worker's own settings; those of the engine have their check there.</summary>
internal static class Rules
{
    public static IEnumerable<OptionError> Broken(WorkerSettings settings) =>
        Broker(settings).Concat(settings.Worker.Idempotency.With(path: "", TimeProvider.System, NullLogger.Instance).Broken());

    public static IEnumerable<OptionError> Must(bool holds, string setting, object value, string rule) =>
        holds ? [] : [new(setting, $"{SettingValue.Show(value)} is {rule}.")];

    public static IEnumerable<OptionError> OneOf(string setting, string value, IEnumerable<string> names) =>
        Must(names.Contains(value, StringComparer.OrdinalIgnoreCase), setting, value, $"unknown; set {Or([.. names])}");

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

    private static IEnumerable<OptionError> Broker(WorkerSettings settings) =>
        settings.Worker.Uses("InMemory") ? InMemory(settings.Worker.InMemory)
        : settings.Worker.Uses("RabbitMq") ? RabbitMqRules.Broken(settings)
        : settings.Worker.Uses("ServiceBus") ? ServiceBusRules.Broken(settings)
        : [];

    private static IEnumerable<OptionError> InMemory(InMemoryOptions options) =>
        Must(options.MaxDeliveries >= 1, "InMemory__MaxDeliveries", options.MaxDeliveries, "out of range; set 1 or more")
            .Concat(Must(options.LockDuration >= TimeSpan.FromSeconds(1), "InMemory__LockDuration", options.LockDuration, "too short; set 1s or more"));

    /// <summary>The names as a person says them, of which one is to be chosen.</summary>
    public static string Or(string[] names) =>
        names.Length == 1 ? names[0] : $"{string.Join(", ", names[..^1])} or {names[^1]}";
}
