using System.Globalization;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of .NET's own settings of how much is logged.</summary>
internal static class LogRules
{
    private const string Prefix = "Logging__";
    private const string Levels = "LogLevel";
    private const string Lines = "Console:MaxQueueLength";
    private const string Full = "Console:QueueFullMode";

    /// <summary>Whether a setting is among those that are named in full, not after the worker's own prefix.</summary>
    public static bool Owns(string setting) => setting.StartsWith(Prefix, StringComparison.Ordinal);

    public static IEnumerable<OptionError> Broken(IConfigurationSection logging) =>
        Misnamed(logging).Concat(BrokenLevels(logging)).Concat(BrokenQueue(logging));

    // The rest belongs to those who log, who may be others than the console.
    private static IEnumerable<OptionError> Misnamed(IConfigurationSection logging) =>
        logging.GetChildren()
            .Where(IsMisnamed)
            .Select(section => new OptionError(Prefix + section.Key, $"There is no such setting; did you mean {Prefix}{Levels}__Default?"));

    private static bool IsMisnamed(IConfigurationSection section) =>
        section.Key.Equals(Levels, StringComparison.OrdinalIgnoreCase)
            ? !string.IsNullOrWhiteSpace(section.Value)
            : section.Key.StartsWith(Levels, StringComparison.OrdinalIgnoreCase) || Nearest.To(section.Key, [Levels]) is not null;

    // A level may be set for all that logs, or for one place that is logged to.
    private static IEnumerable<OptionError> BrokenLevels(IConfigurationSection logging) =>
        logging.GetChildren()
            .SelectMany(section => section.Key.Equals(Levels, StringComparison.OrdinalIgnoreCase)
                ? Unknown(section, $"{Prefix}{Levels}")
                : Unknown(section.GetSection(Levels), $"{Prefix}{section.Key}__{Levels}"));

    private static IEnumerable<OptionError> BrokenQueue(IConfigurationSection logging)
    {
        if (logging[Lines] is { Length: > 0 } lines && !(int.TryParse(lines, CultureInfo.InvariantCulture, out var most) && most > 0))
            yield return new(NameOf(Lines), $"'{lines}' is no number of lines; set 1 or more.");
        if (logging[Full] is { Length: > 0 } full && !Enum.GetNames<ConsoleLoggerQueueFullMode>().Contains(full, StringComparer.OrdinalIgnoreCase))
            yield return new(NameOf(Full), $"'{full}' is unknown; set {Rules.Or(Enum.GetNames<ConsoleLoggerQueueFullMode>())}.");
    }

    private static string NameOf(string key) => Prefix + key.Replace(":", "__", StringComparison.Ordinal);

    private static IEnumerable<OptionError> Unknown(IConfigurationSection levels, string path) =>
        levels.GetChildren()
            .Where(level => !string.IsNullOrEmpty(level.Value) && !Enum.GetNames<LogLevel>().Contains(level.Value.Trim(), StringComparer.OrdinalIgnoreCase))
            .Select(level => new OptionError($"{path}__{level.Key}", $"'{level.Value}' is unknown; set {Rules.Or(Enum.GetNames<LogLevel>())}."));
}
