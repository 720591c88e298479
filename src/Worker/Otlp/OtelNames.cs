using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Otlp;

/// <summary>The standard's variables that are read here.</summary>
internal static class OtelNames
{
    // Other names that begin so are of others, and some are not far from ours.
    private const int MostSlips = 2;

    private static readonly string[] s_all =
    [
        OtelSettings.Disabled, OtelSettings.Attributes, "OTEL_SERVICE_NAME", TraceSampling.Variable, TraceSampling.Argument,
        .. OtlpTargets.Names, .. OtlpPace.Names, .. OtlpShape.Names, .. SdkRules.Names,
    ];

    /// <summary>What was most likely meant by a name that is none; null where it is one, or is like none.</summary>
    public static string? MeantBy(string written) =>
        s_all.Contains(written, StringComparer.OrdinalIgnoreCase) ? null : Nearest.To(written, s_all, MostSlips);
}
