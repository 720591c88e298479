using System.Globalization;
using System.Text.RegularExpressions;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

/// <summary>Reads an exposition as strictly as its format is written down.</summary>
internal static partial class ExpositionCheck
{
    public static void Passes(string exposition, bool isOpen)
    {
        Assert.DoesNotContain('\r', exposition);
        Assert.True(exposition.Length == 0 || exposition[^1] == '\n', "the last line must end");
        var lines = exposition.Split('\n')[..^1];
        if (isOpen)
            Assert.Equal("# EOF", lines[^1]);
        else
            Assert.DoesNotContain("# EOF", lines);

        var (types, series, current, previous) = (new Dictionary<string, string>(), new HashSet<string>(), "", 0.0);
        foreach (var line in isOpen ? lines[..^1] : lines)
        {
            if (Type().Match(line) is { Success: true } type)
            {
                current = type.Groups["name"].Value;
                Assert.True(types.TryAdd(current, type.Groups["type"].Value), $"a second header for {current}");
                continue;
            }

            if (Meta().Match(line) is { Success: true } meta)
            {
                Assert.Equal(current, meta.Groups["name"].Value);
                if (meta.Groups["what"].Value == "UNIT")
                    Assert.True(isOpen && current.EndsWith("_" + meta.Groups["rest"].Value, StringComparison.Ordinal), line);
                continue;
            }

            var sample = Sample().Match(line);
            Assert.True(sample.Success, $"no sample: {line}");
            var name = sample.Groups["name"].Value;
            Assert.True(Belongs(name, current, types[current], isOpen), $"{name} stands under {current}");
            Assert.True(series.Add(name + sample.Groups["labels"].Value), $"twice: {line}");
            CheckLabels(sample.Groups["labels"].Value);
            var value = Number(sample.Groups["value"].Value);
            Assert.True(isOpen || !sample.Groups["exemplar"].Success, $"an exemplar in text: {line}");
            if (!name.EndsWith("_bucket", StringComparison.Ordinal))
                continue;
            Assert.True(value >= previous, $"buckets must not fall: {line}");
            previous = line.Contains("le=\"+Inf\"", StringComparison.Ordinal) ? 0 : value;
        }
    }

    private static bool Belongs(string name, string family, string type, bool isOpen) => type switch
    {
        "counter" when isOpen => name == family + "_total",
        "counter" => name == family && name.EndsWith("_total", StringComparison.Ordinal),
        "info" => name == family + "_info",
        "histogram" => name == family + "_bucket" || name == family + "_sum" || name == family + "_count",
        "gauge" => name == family,
        _ => throw new ArgumentOutOfRangeException(type),
    };

    private static void CheckLabels(string labels)
    {
        var names = Label().Matches(labels).Select(m => m.Groups[1].Value).ToList();
        Assert.Equal(names.Distinct(), names);
    }

    private static double Number(string text) => text switch
    {
        "+Inf" => double.PositiveInfinity,
        "-Inf" => double.NegativeInfinity,
        "NaN" => double.NaN,
        _ => double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture),
    };

    private const string Labels = """(?<labels>[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")*)""";
    private const string Value = """(?:[+-]Inf|NaN|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)""";

    [GeneratedRegex("^# TYPE (?<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?<type>counter|gauge|histogram|info)$")]
    private static partial Regex Type();

    [GeneratedRegex("^# (?<what>HELP|UNIT) (?<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?<rest>.*)$")]
    private static partial Regex Meta();

    [GeneratedRegex("^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\\{" + Labels + "\\} (?<value>" + Value + ")(?<exemplar> # \\{[^}]*\\} " + Value + " [0-9]+(\\.[0-9]+)?)?$")]
    private static partial Regex Sample();

    [GeneratedRegex("""([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\\n]|\\["\\n])*"(?:,|$)""")]
    private static partial Regex Label();
}
