using System.Text.RegularExpressions;
using Holdfast.Tests.Servers;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Settings;

/// <summary>What errors, help and pages tell people to set.</summary>
public sealed partial class NamedSettingsTests
{
    private static readonly string[] s_real = [.. WorkerSettings.Names];

    [Fact]
    public void Every_setting_that_people_are_told_of_is_one()
    {
        string[] told = [.. Texts().SelectMany(file => Setting().Matches(File.ReadAllText(file))).Select(setting => setting.Groups["name"].Value).Distinct()];

        Assert.True(told.Length > 50, "Hardly any setting was found.");
        Assert.DoesNotContain(told, name => !IsReal(name));
    }

    private static IEnumerable<string> Texts() =>
        [.. SourceTree.Files("src", "*.cs"), .. SourceTree.Files("docs", "*.md"), .. SourceTree.Files("deploy"), .. SourceTree.Files("samples"), SourceTree.Find("README.md")];

    // A group of settings may be named, too.
    private static bool IsReal(string name) => s_real.Contains(name) || s_real.Any(real => real.StartsWith($"{name.TrimEnd('_')}__", StringComparison.Ordinal));

    // Behind Queues stands a name of its owner's choice, and then what any queue may have. X stands for any.
    [GeneratedRegex(@"\bWorker__(?>(?:Queues(?:__[A-Za-z]+)?(?:__)?)?)(?<name>(?!X\b)[A-Z]\w*)")]
    private static partial Regex Setting();
}
