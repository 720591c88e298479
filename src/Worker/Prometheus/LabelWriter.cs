using System.Globalization;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes labels: a series' own after those of its meter, or a resource's.</summary>
internal sealed class LabelWriter
{
    private static readonly string[] s_reserved = ["le", "otel_scope_name", "otel_scope_version"];

    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);
    private readonly List<Label> _labels = [];

    public void Write(Utf8Text text, Metric metric, ReadOnlyTagCollection tags)
    {
        WriteScope(text, metric.MeterName, metric.MeterVersion);
        _labels.Clear();
        foreach (var tag in tags)
            _labels.Add(new(NameOf(tag.Key), tag.Value));
        WriteLabels(text, comma: true);
    }

    public void Write(Utf8Text text, string meter, IEnumerable<KeyValuePair<string, object?>> tags)
    {
        WriteScope(text, meter, version: null);
        _labels.Clear();
        foreach (var tag in tags)
            _labels.Add(new(NameOf(tag.Key), tag.Value));
        WriteLabels(text, comma: true);
    }

    public void Write(Utf8Text text, IEnumerable<KeyValuePair<string, object>> attributes)
    {
        _labels.Clear();
        foreach (var attribute in attributes)
            _labels.Add(new(NameOf(attribute.Key), attribute.Value));
        WriteLabels(text, comma: false);
    }

    private static void WriteScope(Utf8Text text, string meter, string? version)
    {
        text.Write("otel_scope_name=\""u8);
        text.WriteEscaped(meter);
        if (!string.IsNullOrEmpty(version))
        {
            text.Write("\",otel_scope_version=\""u8);
            text.WriteEscaped(version);
        }

        text.Write((byte)'"');
    }

    private void WriteLabels(Utf8Text text, bool comma)
    {
        for (var i = 0; i < _labels.Count; i++)
            WriteLabel(text, i, comma || i > 0);
    }

    // Keys that fall on one name share one label, their values joined by semicolons; the SDK has put the keys in order.
    private void WriteLabel(Utf8Text text, int at, bool comma)
    {
        var name = _labels[at].Name;
        for (var i = 0; i < at; i++)
        {
            if (ReferenceEquals(_labels[i].Name, name))
                return;
        }

        if (comma)
            text.Write((byte)',');
        text.Write(name);
        text.Write("=\""u8);
        WriteValue(text, _labels[at].Value);
        for (var i = at + 1; i < _labels.Count; i++)
        {
            if (!ReferenceEquals(_labels[i].Name, name))
                continue;
            text.Write((byte)';');
            WriteValue(text, _labels[i].Value);
        }

        text.Write((byte)'"');
    }

    private static void WriteValue(Utf8Text text, object? value)
    {
        switch (value)
        {
            case string s:
                text.WriteEscaped(s);
                break;
            case int i:
                text.Write(i);
                break;
            case long l:
                text.Write(l);
                break;
            case bool b:
                text.Write(b ? "true"u8 : "false"u8);
                break;
            default:
                text.WriteEscaped(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "");
                break;
        }
    }

    // Interned, so that equal names are one object.
    private string NameOf(string key)
    {
        if (_names.TryGetValue(key, out var name))
            return name;
        name = MetricName.Label(key);
        if (s_reserved.Contains(name))
            name = $"exported_{name}";
        return _names[key] = string.Intern(name);
    }

    private readonly record struct Label(string Name, object? Value);
}
