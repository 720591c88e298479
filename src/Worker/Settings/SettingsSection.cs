using System.Reflection;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>One section of the configuration, read strictly into several objects at once: what none of them knows is an error.</summary>
/// <param name="section">Where they are.</param>
/// <param name="path">What their names begin with, beside what all of ours begin with.</param>
/// <param name="except">What somebody else reads.</param>
internal sealed class SettingsSection(IConfigurationSection section, string path = "", string? except = null)
{
    private const string Separator = "__";

    /// <summary>Sets what the section sets, and gives back what is wrong with it. An empty value counts as not set, where the setting may be empty.</summary>
    public IReadOnlyList<OptionError> Read(params object[] targets)
    {
        var errors = new List<OptionError>();
        var children = section.GetChildren().Where(child => !child.Key.Equals(except, StringComparison.OrdinalIgnoreCase));
        Fill(children, path, targets, errors);
        return errors;
    }

    /// <summary>Sets what the section sets of this object alone.</summary>
    public void Fill(object target) => Fill(section.GetChildren(), path, [target], []);

    /// <summary>Whether a setting is set here.</summary>
    public bool Sets(string setting) => !string.IsNullOrWhiteSpace(section[setting.Replace(Separator, ConfigurationPath.KeyDelimiter)]);

    /// <summary>Every setting that these objects have between them.</summary>
    public static IEnumerable<string> Names(params object[] targets) => targets.SelectMany(t => Names(t, ""));

    /// <summary>Every setting that these objects have between them, with what it is set to.</summary>
    public static IEnumerable<(string Name, object? Value)> Values(params object[] targets) => targets.SelectMany(t => Values(t, ""));

    private static void Fill(IEnumerable<IConfigurationSection> children, string path, object[] targets, List<OptionError> errors)
    {
        foreach (var child in children)
        {
            var (target, property) = Find(targets, child.Key);
            if (property is null)
                errors.AddRange(Keys(child, path + child.Key).Select(key => new OptionError(key, FileRules.IsCopied(child.Key) ? FileRules.Cure(child.Key) : Unknown(key, path, targets))));
            else if (SettingValue.IsSimple(property.PropertyType))
                Set(target!, property, child, path + property.Name, errors);
            else
                FillNested(child, path + property.Name + Separator, property.GetValue(target)!, errors);
        }
    }

    private static void FillNested(IConfigurationSection child, string path, object nested, List<OptionError> errors)
    {
        if (!string.IsNullOrWhiteSpace(child.Value))
            errors.Add(new(path[..^Separator.Length], $"It holds settings of its own; set one of those, such as {Prefix(Names(nested, path).First())}."));
        Fill(child.GetChildren(), path, [nested], errors);
    }

    private static void Set(object target, PropertyInfo property, IConfigurationSection child, string name, List<OptionError> errors)
    {
        errors.AddRange(child.GetChildren().SelectMany(c => Keys(c, name + Separator + c.Key))
            .Select(key => new OptionError(key, $"There is no such setting; set {Prefix(name)} itself.")));
        if (string.IsNullOrWhiteSpace(child.Value))
        {
            if (child.Value is not null && property.IsDefined(typeof(NeverBlankAttribute)))
                errors.Add(new(name, "It is empty; set it, or leave it out."));
            return;
        }

        if (SettingValue.TryRead(child.Value.Trim(), property.PropertyType, out var value))
            property.SetValue(target, value);
        else
            errors.Add(new(name, $"'{child.Value}' can't be read; set {SettingValue.Expected(property.PropertyType)}."));
    }

    private static string Unknown(string key, string path, object[] targets) =>
        Nearest.To(key, targets.SelectMany(t => Names(t, path))) is { } nearest
            ? $"There is no such setting; did you mean {Prefix(nearest)}?"
            : "There is no such setting; --help lists all there are.";

    private static (object? Target, PropertyInfo? Property) Find(object[] targets, string key)
    {
        foreach (var target in targets)
        {
            if (Properties(target).FirstOrDefault(p => p.Name.Equals(key, StringComparison.OrdinalIgnoreCase)) is { } property)
                return (target, property);
        }

        return default;
    }

    private static IEnumerable<string> Names(object target, string path) => Values(target, path).Select(setting => setting.Name);

    private static IEnumerable<(string Name, object? Value)> Values(object target, string path) =>
        Properties(target).SelectMany(p => SettingValue.IsSimple(p.PropertyType)
            ? [(path + p.Name, p.GetValue(target))]
            : Values(p.GetValue(target)!, path + p.Name + Separator));

    private static IEnumerable<PropertyInfo> Properties(object target) =>
        target.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(p => p.CanWrite);

    private static IEnumerable<string> Keys(IConfigurationSection child, string path) =>
        child.GetChildren().Any() ? child.GetChildren().SelectMany(c => Keys(c, path + Separator + c.Key)) : [path];

    private static string Prefix(string name) => WorkerSettings.Prefix + name;
}
