using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of names in a file of settings: those of the environment, copied there, are nobody's.</summary>
internal static class FileRules
{
    private const string Separator = "__";

    // Services, as others' tools call theirs, and Login are two letters from ours.
    private const int MostSlips = 2;
    private const int MostLettersAmiss = 1;

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) => Copied(configuration).Concat(Misspelt(configuration));

    // Names of sections of ours with what should stand within them. From the environment none comes with this separator in it.
    private static IEnumerable<OptionError> Copied(IConfiguration configuration) => configuration.GetChildren()
        .Where(child => WorkerSettings.Sections.Any(section => child.Key.StartsWith(section + Separator, StringComparison.OrdinalIgnoreCase)))
        .Select(child => new OptionError(SettingSources.File, Cure(child.Key)));

    // A value is no section: the environment is full of those.
    private static IEnumerable<OptionError> Misspelt(IConfiguration configuration) =>
        from child in configuration.GetChildren()
        where !WorkerSettings.Sections.Contains(child.Key, StringComparer.OrdinalIgnoreCase) && child.GetChildren().Any()
        let alike = WorkerSettings.Sections.Where(section => Math.Abs(section.Length - child.Key.Length) <= MostLettersAmiss).ToArray()
        where alike.Length > 0
        let meant = Nearest.To(child.Key, alike, MostSlips)
        where meant is not null
        select new OptionError(SettingSources.File, $"Nothing reads a section {child.Key}, nor what begins with {child.Key}{Separator} in the environment; did you mean {meant}?");

    /// <summary>Whether a name within a section is one of the environment's.</summary>
    public static bool IsCopied(string key) => key.Contains(Separator, StringComparison.Ordinal);

    public static string Cure(string key) =>
        $"A file has ':', or nesting, where the environment has '{Separator}'; write {key.Replace(Separator, ConfigurationPath.KeyDelimiter, StringComparison.Ordinal)} in place of {key}.";
}
