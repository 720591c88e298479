using OpenTelemetry.Resources;

namespace Holdfast.Worker.Prometheus;

/// <summary>Writes who the metrics are about.</summary>
internal static class TargetInfo
{
    public static void Write(Utf8Text text, Resource resource, ExpositionFormat format)
    {
        if (!resource.Attributes.Any())
            return;
        text.Write(format == ExpositionFormat.OpenMetrics
            ? "# TYPE target info\n# HELP target Target metadata\ntarget_info{"u8
            : "# TYPE target_info gauge\n# HELP target_info Target metadata\ntarget_info{"u8);
        new LabelWriter().Write(text, resource.Attributes);
        text.Write("} 1\n"u8);
    }
}
