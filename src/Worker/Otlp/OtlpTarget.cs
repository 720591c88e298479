using OpenTelemetry.Exporter;

namespace Holdfast.Worker.Otlp;

/// <summary>Where one kind of telemetry is sent, and how.</summary>
internal sealed record OtlpTarget(Uri Endpoint, OtlpExportProtocol Protocol, string? Headers, int TimeoutMilliseconds)
{
    /// <summary>The collector for a person to read: its address may hold a secret, its host does not.</summary>
    public string Host => $"{Endpoint.Scheme}://{Endpoint.Authority}";

    public OtlpExporterOptions Options() => new()
    {
        Endpoint = Endpoint,
        Protocol = Protocol,
        Headers = Headers,
        TimeoutMilliseconds = TimeoutMilliseconds,
    };
}
