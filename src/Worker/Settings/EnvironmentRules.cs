using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the environment before settings are read from it.</summary>
internal static class EnvironmentRules
{
    /// <summary>What is named where something is wrong with several variables at once.</summary>
    public const string Name = "Environment";

    private static readonly string[] s_prefixes = [$"{WorkerSettings.Section}:", "ConnectionStrings:", "ServiceBus:", "Logging:", SettingSources.Prefix, "OTEL_"];

    /// <summary>Names that differ in case alone are one setting, and which of their values is read is chance, another at each start.</summary>
    public static IEnumerable<OptionError> Broken(IEnumerable<KeyValuePair<string, string>> variables) => variables
        .GroupBy(variable => variable.Key.Replace("__", ConfigurationPath.KeyDelimiter), StringComparer.OrdinalIgnoreCase)
        .Where(same => IsOurs(same.Key) && same.DistinctBy(variable => variable.Value).Skip(1).Any())
        .Select(same => new OptionError(Name, $"{And([.. same.Select(variable => variable.Key).Order(StringComparer.Ordinal)])} are one setting, for case does not count, and their values differ; leave one of them."));

    private static bool IsOurs(string key) =>
        s_prefixes.Any(prefix => key.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    private static string And(string[] names) => $"{string.Join(", ", names[..^1])} and {names[^1]}";
}
