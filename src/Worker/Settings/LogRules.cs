using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of .NET's own settings of how much is logged.</summary>
internal static class LogRules
{
    private const string Prefix = "Logging__";
    private const string Levels = "LogLevel";

    /// <summary>Whether a setting is among those that are named in full, not after the worker's own prefix.</summary>
    public static bool Owns(string setting) => setting.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>A level may be set for all that logs, or for one place that is logged to.</summary>
    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        configuration.GetSection("Logging").GetChildren()
            .SelectMany(section => section.Key.Equals(Levels, StringComparison.OrdinalIgnoreCase)
                ? Unknown(section, $"{Prefix}{Levels}")
                : Unknown(section.GetSection(Levels), $"{Prefix}{section.Key}__{Levels}"));

    private static IEnumerable<OptionError> Unknown(IConfigurationSection levels, string path) =>
        levels.GetChildren()
            .Where(level => !string.IsNullOrEmpty(level.Value) && !Enum.TryParse<LogLevel>(level.Value, ignoreCase: true, out _))
            .Select(level => new OptionError($"{path}__{level.Key}", $"'{level.Value}' is unknown; set {Rules.Or(Enum.GetNames<LogLevel>())}."));
}
