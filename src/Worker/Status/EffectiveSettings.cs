using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Status;

/// <summary>
/// The settings in effect, for everybody to see. Numbers, durations and choices are no secrets; a text may be one, so it is shown only if it is known not to be.
/// </summary>
internal static class EffectiveSettings
{
    // Each of these settings belongs to one broker or handler, and says nothing where another was chosen.
    private static readonly string[] s_ofOneChoice = ["InMemory__", "RabbitMq__", "ServiceBus__", "Demo__", "Http__", "Exec__"];

    private static readonly HashSet<string> s_harmlessTexts = ["Broker", "Queue", "Handler", "OrderBy", "PriorityFrom", "Exec__Command", "Exec__WorkingDirectory", "Idempotency__Path", "RabbitMq__CaFile", "ServiceBus__CaFile", "Http__CaFile"];

    public static ShownSetting[] Of(WorkerSettings settings) =>
        [.. OfAll(settings), .. settings.Queues.SelectMany(Of)];

    private static IEnumerable<ShownSetting> OfAll(WorkerSettings settings) =>
        SettingsSection.Values(settings.Worker, settings.Engine)
            .Where(setting => IsInUse(setting.Name, settings.Worker.Kind))
            .Select(setting => Shown("", setting.Name, setting.Name == nameof(HoldfastOptions.Threads) ? settings.Threads : setting.Value));

    private static IEnumerable<ShownSetting> Of(QueueSettings queue) =>
        SettingsSection.Values(queue.Handling, queue.Options)
            .Where(setting => IsInUse(setting.Name, queue.Handling.Handler) || (setting.Name == QueueSettings.ProduceSetting && queue.HasProducer))
            .Select(setting => Shown(queue.Path, setting.Name, setting.Name == nameof(QueueOptions.MaxConcurrency) ? queue.MostAtOnce : setting.Value));

    private static ShownSetting Shown(string path, string name, object? value) => new(WorkerSettings.Prefix + path + name, Show(name, value));

    private static bool IsInUse(string name, string choice) =>
        Array.Find(s_ofOneChoice, prefix => name.StartsWith(prefix, StringComparison.Ordinal)) is not { } prefix
        || $"{choice}__".Equals(prefix, StringComparison.OrdinalIgnoreCase);

    private static string Show(string name, object? value) => value switch
    {
        null or "" => "not set",
        string when !s_harmlessTexts.Contains(name) => "set, not shown",
        bool yes => yes ? "true" : "false",
        _ => SettingValue.Show(value),
    };
}
