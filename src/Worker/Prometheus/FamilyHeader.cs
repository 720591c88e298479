namespace Holdfast.Worker.Prometheus;

/// <summary>Writes what stands above a family's series.</summary>
internal static class FamilyHeader
{
    public static byte[] Of(string name, SeriesKind kind, string unit, string? description, ExpositionFormat format)
    {
        var isOpen = format == ExpositionFormat.OpenMetrics;
        var text = new Utf8Text();
        text.Write($"# TYPE {name} {kind switch { SeriesKind.Counter => "counter", SeriesKind.Histogram => "histogram", _ => "gauge" }}\n");
        if (isOpen && unit.Length > 0)
            text.Write($"# UNIT {name} {unit}\n");
        if (!string.IsNullOrEmpty(description))
        {
            text.Write($"# HELP {name} ");
            text.WriteEscaped(description, quotes: isOpen);
            text.Write((byte)'\n');
        }

        var header = text.Written.ToArray();
        text.ReturnToPool();
        return header;
    }
}
