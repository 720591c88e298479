namespace Holdfast.Worker.Otlp;

/// <summary>The standard's variables that change nothing here, and those that are misspelt. Who has many programs sets them for all, so that it is told, and not refused.</summary>
internal static class WithoutEffect
{
    // By name, and not all that begins so: Kubernetes tells pods of a service named otel-collector in OTEL_COLLECTOR_PORT and the like.
    private static readonly string[] s_groups =
        ["OTEL_BLRP_", "OTEL_EXPORTER_JAEGER_", "OTEL_EXPORTER_OTLP_LOGS_", "OTEL_EXPORTER_PROMETHEUS_", "OTEL_EXPORTER_ZIPKIN_", "OTEL_LOGRECORD_"];

    private static readonly string[] s_names =
    [
        "OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE", "OTEL_ENTITIES", "OTEL_PROPAGATORS", "OTEL_SEMCONV_STABILITY_OPT_IN",
        "OTEL_EXPORTER_OTLP_INSECURE", "OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_METRICS_INSECURE",
    ];

    // What they would say is so anyway.
    private static readonly (string Name, string Usual)[] s_fixed = [("OTEL_LOGS_EXPORTER", "none"), ("OTEL_METRICS_EXEMPLAR_FILTER", "trace_based")];

    /// <summary>Those that are set; one that is misspelt with what was meant.</summary>
    /// <param name="configuration">Where they are looked for.</param>
    /// <param name="targets">Where telemetry is sent; null for what is not.</param>
    public static IReadOnlyList<string> Of(IConfiguration configuration, params OtlpTarget?[] targets)
    {
        string[] idle = [.. CertificateRules.Idle(targets), .. DiskRetryRules.Idle(configuration), .. TraceSampling.Idle(configuration)];
        return
        [
            .. configuration.GetChildren()
                .Select(variable => OtelSettings.Text(configuration, variable.Key) is { } text ? Of(variable.Key, text, idle) : null)
                .OfType<string>()
                .Order(StringComparer.Ordinal),
        ];
    }

    private static string? Of(string name, string text, string[] idle) =>
        !name.StartsWith(OtelSettings.Prefix, StringComparison.OrdinalIgnoreCase) ? null
        : Is(name.ToUpperInvariant(), text) || idle.Contains(name, StringComparer.OrdinalIgnoreCase) ? name
        : OtelNames.MeantBy(name) is { } meant ? $"{name} (did you mean {meant}?)"
        : null;

    private static bool Is(string name, string text) =>
        s_names.Contains(name)
        || s_groups.Any(group => name.StartsWith(group, StringComparison.Ordinal))
        || s_fixed.Any(one => one.Name == name && !one.Usual.Equals(text, StringComparison.OrdinalIgnoreCase));
}
