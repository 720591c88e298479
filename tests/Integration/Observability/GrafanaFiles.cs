using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>What grafana/ ships, as it is committed; and its rules with all their windows shortened.</summary>
internal static partial class GrafanaFiles
{
    public static string AlertmanagerConfig => File.ReadAllText(PathOf("alertmanager/alertmanager.yml"));

    /// <summary>What a dashboard's panels and annotations ask for.</summary>
    public static IEnumerable<string> Queries(string dashboard)
    {
        var board = Dashboard(dashboard);
        var panels = board.GetProperty("panels").EnumerateArray()
            .Where(panel => panel.TryGetProperty("targets", out _))
            .SelectMany(panel => panel.GetProperty("targets").EnumerateArray());
        var annotations = board.GetProperty("annotations").GetProperty("list").EnumerateArray();
        return panels.Concat(annotations).Select(asking => asking.GetProperty("expr").GetString()!);
    }

    /// <summary>A dashboard's variables that are asked of Prometheus: their name, the label and the series that it is of, and what stands for all of them where that is no list.</summary>
    public static IEnumerable<(string Name, string Label, string Series, string? All)> Variables(string dashboard) =>
        from variable in Dashboard(dashboard).GetProperty("templating").GetProperty("list").EnumerateArray()
        where variable.GetProperty("type").GetString() == "query"
        let question = LabelValues().Match(variable.GetProperty("query").GetProperty("query").GetString()!)
        let all = variable.TryGetProperty("allValue", out var value) ? value.GetString() : null
        select (variable.GetProperty("name").GetString()!, question.Groups["label"].Value, question.Groups["series"].Value, all);

    public static IEnumerable<string> Recorded() => Recording().Matches(File.ReadAllText(PathOf("prometheus/holdfast.rules.yml"))).Select(rule => rule.Groups[1].Value);

    /// <summary>Writes the rules so that what takes an hour takes a part of it.</summary>
    public static async Task<string[]> ShortenedRulesAsync(string folder, int speedup)
    {
        using var generator = Process.Start(new ProcessStartInfo("node", [PathOf("generate.mjs"), $"--speedup={speedup}", $"--out={folder}"]))!;
        await generator.WaitForExitAsync();
        Assert.Equal(0, generator.ExitCode);
        return Directory.GetFiles(Path.Combine(folder, "prometheus"), "*.yml");
    }

    private static JsonElement Dashboard(string name) => JsonSerializer.Deserialize<JsonElement>(File.ReadAllText(PathOf($"dashboards/{name}.json")));

    private static string PathOf(string file) => SourceTree.Find(Path.Combine("grafana", file));

    [GeneratedRegex(@"^label_values\((?<series>.+), (?<label>\w+)\)$")]
    private static partial Regex LabelValues();

    [GeneratedRegex(@"^ +- record: (\S+)$", RegexOptions.Multiline)]
    private static partial Regex Recording();
}
