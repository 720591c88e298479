namespace Holdfast.Worker.Prometheus;

/// <summary>Spells units out: Prometheus wants <c>seconds</c> where UCUM says <c>s</c>.</summary>
internal static class UnitName
{
    private static readonly Dictionary<string, string> s_words = new(StringComparer.Ordinal)
    {
        ["d"] = "days",
        ["h"] = "hours",
        ["min"] = "minutes",
        ["s"] = "seconds",
        ["ms"] = "milliseconds",
        ["us"] = "microseconds",
        ["ns"] = "nanoseconds",
        ["By"] = "bytes",
        ["KiBy"] = "kibibytes",
        ["MiBy"] = "mebibytes",
        ["GiBy"] = "gibibytes",
        ["TiBy"] = "tibibytes",
        ["KBy"] = "kilobytes",
        ["MBy"] = "megabytes",
        ["GBy"] = "gigabytes",
        ["TBy"] = "terabytes",
        ["m"] = "meters",
        ["V"] = "volts",
        ["A"] = "amperes",
        ["J"] = "joules",
        ["W"] = "watts",
        ["g"] = "grams",
        ["Cel"] = "celsius",
        ["Hz"] = "hertz",
        ["%"] = "percent",
        ["1"] = "",
    };

    private static readonly Dictionary<string, string> s_per = new(StringComparer.Ordinal)
    {
        ["s"] = "second",
        ["m"] = "minute",
        ["h"] = "hour",
        ["d"] = "day",
        ["w"] = "week",
        ["mo"] = "month",
        ["y"] = "year",
    };

    public static string InWords(string unit)
    {
        var bare = WithoutBraces(unit);
        var slash = bare.IndexOf('/');
        if (slash < 0)
            return Word(s_words, bare);
        var (counted, per) = (Word(s_words, bare[..slash]), Word(s_per, bare[(slash + 1)..]));
        return per.Length == 0 ? counted : counted.Length == 0 ? $"per_{per}" : $"{counted}_per_{per}";
    }

    private static string Word(Dictionary<string, string> words, string unit) =>
        words.TryGetValue(unit, out var word) ? word : unit.Length == 0 ? "" : MetricName.Label(unit).Trim('_');

    // What stands in braces says what is counted; it is no unit.
    private static string WithoutBraces(string unit)
    {
        for (var open = unit.IndexOf('{'); open >= 0; open = unit.IndexOf('{'))
        {
            var close = unit.IndexOf('}', open);
            if (close < 0)
                break;
            unit = unit.Remove(open, close - open + 1);
        }

        return unit;
    }
}
