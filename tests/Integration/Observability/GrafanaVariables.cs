using System.Text.RegularExpressions;
using Holdfast.Tests.Servers.Prometheus;

namespace Holdfast.Tests.Integration.Observability;

/// <summary>Puts in what a dashboard's variables stand for, as Grafana does where everything is chosen.</summary>
internal sealed partial class GrafanaVariables
{
    private readonly Dictionary<string, string> _values;

    private GrafanaVariables(Dictionary<string, string> values) => _values = values;

    public static async Task<GrafanaVariables> ChooseAllAsync(PrometheusApi prometheus, string dashboard, TimeSpan interval)
    {
        // Four scrapes, so that a rate finds at least two of them whatever it meets; a step is one less.
        var chosen = new GrafanaVariables(new()
        {
            ["__rate_interval"] = $"{4 * interval.TotalMilliseconds}ms",
            ["__interval_ms"] = $"{3 * interval.TotalMilliseconds}",
            ["__range"] = "2m",
        });
        foreach (var (name, label, series, all) in GrafanaFiles.Variables(dashboard))
            chosen._values[name] = all ?? AnyOf(await prometheus.LabelValuesAsync(label, chosen.Into(series)));
        return chosen;
    }

    public string Into(string query) => Variable().Replace(query, found => _values[found.Groups[1].Value]);

    private static string AnyOf(IEnumerable<string> values) => $"({string.Join('|', values.Select(value => Special().Replace(value, @"\\$&")))})";

    [GeneratedRegex(@"\$(\w+)")]
    private static partial Regex Variable();

    [GeneratedRegex(@"[$^*{}\[\]'+?.()|]")]
    private static partial Regex Special();
}
