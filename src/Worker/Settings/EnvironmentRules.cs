using Holdfast.Consumer;
using Holdfast.Worker.Otlp;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the environment before settings are read from it.</summary>
internal static class EnvironmentRules
{
    /// <summary>What is named where something is wrong with a variable that is no setting, or with several at once.</summary>
    public const string Name = "Environment";

    private const string HalfPrefix = $"{WorkerSettings.Section}_";
    private const string OtherHostPrefix = "DOTNET_";
    private const string HalfQueues = $"{WorkerSettings.QueuesKey}__";

    private static readonly string[] s_prefixes = [.. WorkerSettings.Sections.Select(section => section + ConfigurationPath.KeyDelimiter), SettingSources.Prefix, OtelSettings.Prefix];

    // .NET's hosts do not agree which prefix of these counts first, nor whether the other counts at all.
    private static readonly string[] s_addresses = ["URLS", "HTTP_PORTS", "HTTPS_PORTS"];

    public static IEnumerable<OptionError> Broken(IReadOnlyCollection<KeyValuePair<string, string>> variables) =>
        Twice(variables).Concat(variables.SelectMany(variable => WithOneUnderscore(variable.Key).Concat(OfOtherHosts(variable.Key))));

    // Names that differ in case alone are one setting, and which of their values is read is chance, another at each start.
    private static IEnumerable<OptionError> Twice(IEnumerable<KeyValuePair<string, string>> variables) => variables
        .GroupBy(variable => variable.Key.Replace("__", ConfigurationPath.KeyDelimiter), StringComparer.OrdinalIgnoreCase)
        .Where(same => IsOurs(same.Key) && same.DistinctBy(variable => variable.Value).Skip(1).Any())
        .Select(same => new OptionError(Name, $"{And([.. same.Select(variable => variable.Key).Order(StringComparer.Ordinal)])} are one setting, for case does not count, and their values differ; leave one of them."));

    // What names no setting may be somebody else's: Kubernetes tells pods of a service named worker in WORKER_PORT and the like.
    private static IEnumerable<OptionError> WithOneUnderscore(string variable)
    {
        if (variable.StartsWith(HalfPrefix, StringComparison.OrdinalIgnoreCase) && !variable.StartsWith(WorkerSettings.Prefix, StringComparison.OrdinalIgnoreCase)
            && Meant(variable[HalfPrefix.Length..]) is { } setting)
            yield return new(Name, $"{variable} is no setting; set {WorkerSettings.Prefix}{setting}, with two underscores.");
    }

    private static IEnumerable<OptionError> OfOtherHosts(string variable) => s_addresses
        .Where(name => variable.Equals(OtherHostPrefix + name, StringComparison.OrdinalIgnoreCase))
        .Select(name => new OptionError(Name, $"{variable} is no setting; set {SettingSources.Prefix}{name} instead."));

    private static string? Meant(string name) =>
        name.StartsWith(HalfQueues, StringComparison.OrdinalIgnoreCase)
            ? name
            : WorkerSettings.Names.FirstOrDefault(setting => Bare(setting).Equals(Bare(name), StringComparison.OrdinalIgnoreCase));

    private static string Bare(string name) => name.Replace("_", "", StringComparison.Ordinal);

    private static bool IsOurs(string key) =>
        s_prefixes.Any(prefix => key.StartsWith(prefix, StringComparison.OrdinalIgnoreCase));

    private static string And(string[] names) => $"{string.Join(", ", names[..^1])} and {names[^1]}";
}
