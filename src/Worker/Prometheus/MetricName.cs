using System.Text;

namespace Holdfast.Worker.Prometheus;

/// <summary>Translates OpenTelemetry's names and units as its Prometheus compatibility specification says.</summary>
internal static class MetricName
{
    private const string Total = "_total";

    /// <summary>A family's name: the metric's own with its unit at the end, and without a counter's <c>_total</c>.</summary>
    public static string Family(string name, string unit, SeriesKind kind)
    {
        var text = Clean(name, allowColon: true);
        if (kind == SeriesKind.Counter && text.EndsWith(Total, StringComparison.Ordinal) && text.Length > Total.Length)
            text = text[..^Total.Length];
        var suffix = Unit(unit, kind);
        return suffix.Length == 0 || EndsWithWord(text, suffix) ? text : $"{text}_{suffix}";
    }

    /// <summary>The unit in words, empty where Prometheus has none for it.</summary>
    public static string Unit(string unit, SeriesKind kind) =>
        unit == "1" ? kind == SeriesKind.Gauge ? "ratio" : "" : UnitName.InWords(unit);

    public static string Label(string key) => Clean(key, allowColon: false);

    private static bool EndsWithWord(string text, string word) =>
        text.EndsWith(word, StringComparison.Ordinal) && (text.Length == word.Length || text[^(word.Length + 1)] == '_');

    // A run of what is not allowed becomes one underscore; a label keeps underscores of its own.
    private static string Clean(string name, bool allowColon)
    {
        var clean = new StringBuilder(name.Length + 1);
        if (name.Length == 0 || char.IsAsciiDigit(name[0]))
            clean.Append('_');
        foreach (var c in name)
        {
            if (char.IsAsciiLetterOrDigit(c) || (allowColon && c == ':') || (!allowColon && c == '_'))
                clean.Append(c);
            else if (clean.Length == 0 || clean[^1] != '_')
                clean.Append('_');
        }

        return clean.ToString();
    }
}
