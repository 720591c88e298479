using Holdfast.Consumer;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of names in a file of settings: those of the environment, copied there, are nobody's.</summary>
internal static class FileRules
{
    private const string Separator = "__";

    /// <summary>Names of sections of ours with what should stand within them. From the environment none comes with this separator in it.</summary>
    public static IEnumerable<OptionError> Broken(IConfiguration configuration) => configuration.GetChildren()
        .Where(child => WorkerSettings.Sections.Any(section => child.Key.StartsWith(section + Separator, StringComparison.OrdinalIgnoreCase)))
        .Select(child => new OptionError(SettingSources.File, Cure(child.Key)));

    /// <summary>Whether a name within a section is one of the environment's.</summary>
    public static bool IsCopied(string key) => key.Contains(Separator, StringComparison.Ordinal);

    public static string Cure(string key) =>
        $"A file has ':', or nesting, where the environment has '{Separator}'; write {key.Replace(Separator, ConfigurationPath.KeyDelimiter, StringComparison.Ordinal)} in place of {key}.";
}
