using System.Globalization;
using System.Text.Json;

namespace Holdfast.Tests.Servers.Prometheus;

/// <summary>What a Prometheus tells who asks.</summary>
public sealed class PrometheusApi(Uri address) : IDisposable
{
    private readonly HttpClient _http = new() { BaseAddress = new Uri(address, "api/v1/") };

    /// <summary>What a query gives now: the values of its series.</summary>
    public async Task<IReadOnlyList<double>> QueryAsync(string query)
    {
        var data = await DataAsync($"query?query={Uri.EscapeDataString(query)}");
        return [.. data.GetProperty("result").EnumerateArray().Select(series => ValueOf(series.GetProperty("value")))];
    }

    /// <summary>What was scraped of a series in the last hour, sample by sample: no rate, and nothing extrapolated.</summary>
    public async Task<IReadOnlyList<PrometheusSample>> SamplesAsync(string series)
    {
        var data = await DataAsync($"query?query={Uri.EscapeDataString($"{series}[1h]")}");
        return
        [
            .. from one in data.GetProperty("result").EnumerateArray()
               let instance = one.GetProperty("metric").GetProperty("instance").GetString()!
               from sample in one.GetProperty("values").EnumerateArray()
               select new PrometheusSample(instance, sample[0].GetDouble(), ValueOf(sample))
        ];
    }

    /// <summary>The values that a label has in the series that match.</summary>
    public async Task<IReadOnlyList<string>> LabelValuesAsync(string label, string match)
    {
        var data = await DataAsync($"label/{label}/values?match[]={Uri.EscapeDataString(match)}");
        return [.. data.EnumerateArray().Select(value => value.GetString()!)];
    }

    /// <summary>How many exemplars there are of a series by now.</summary>
    public async Task<int> ExemplarsAsync(string series)
    {
        var (from, to) = (DateTimeOffset.UtcNow.AddHours(-1).ToUnixTimeSeconds(), DateTimeOffset.UtcNow.AddHours(1).ToUnixTimeSeconds());
        var data = await DataAsync($"query_exemplars?query={Uri.EscapeDataString(series)}&start={from}&end={to}");
        return data.EnumerateArray().Sum(found => found.GetProperty("exemplars").GetArrayLength());
    }

    /// <summary>The names of the alerts that it knows.</summary>
    public async Task<IReadOnlyList<string>> AlertsAsync()
    {
        var rules = await RulesAsync();
        return [.. rules.Where(rule => rule.GetProperty("type").GetString() == "alerting").Select(rule => rule.GetProperty("name").GetString()!)];
    }

    /// <summary>Where it sends alerts.</summary>
    public async Task<IReadOnlyList<string>> AlertmanagersAsync()
    {
        var data = await DataAsync("alertmanagers");
        return [.. data.GetProperty("activeAlertmanagers").EnumerateArray().Select(one => one.GetProperty("url").GetString()!)];
    }

    /// <summary>What is wrong with rules and targets, one line for each.</summary>
    public async Task<IReadOnlyList<string>> ComplaintsAsync()
    {
        var rules = (await RulesAsync())
            .Where(rule => rule.GetProperty("health").GetString() == "err")
            .Select(rule => $"{rule.GetProperty("name")}: {rule.GetProperty("lastError")}");
        var targets = (await DataAsync("targets?state=active")).GetProperty("activeTargets").EnumerateArray()
            .Where(target => target.GetProperty("health").GetString() == "down")
            .Select(target => $"{target.GetProperty("scrapeUrl")}: {target.GetProperty("lastError")}");
        return [.. rules, .. targets];
    }

    public void Dispose() => _http.Dispose();

    private static double ValueOf(JsonElement sample) =>
        double.Parse(sample[1].GetString()!.Replace("Inf", "Infinity", StringComparison.Ordinal), CultureInfo.InvariantCulture);

    private async Task<IEnumerable<JsonElement>> RulesAsync() =>
        (await DataAsync("rules")).GetProperty("groups").EnumerateArray().SelectMany(group => group.GetProperty("rules").EnumerateArray());

    private async Task<JsonElement> DataAsync(string path) => (await _http.JsonAsync(path)).GetProperty("data");
}

/// <summary>A value that was scraped from a target, and when, in seconds since 1970.</summary>
public sealed record PrometheusSample(string Instance, double At, double Value);
