using OpenTelemetry.Exporter;

namespace Holdfast.Worker.Otlp;

/// <summary>Where one kind of telemetry is sent, and how.</summary>
internal sealed record OtlpTarget(Uri Endpoint, OtlpExportProtocol Protocol, KeyValuePair<string, string>[] Headers, int TimeoutMilliseconds, OtlpExportCompression Compression)
{
    /// <summary>The collector for a person to read: its address may hold a secret, its host does not.</summary>
    public string Host => $"{Endpoint.Scheme}://{Endpoint.Authority}";

    public OtlpExporterOptions Options()
    {
        var options = new OtlpExporterOptions { Endpoint = Endpoint, Protocol = Protocol, Headers = null, TimeoutMilliseconds = TimeoutMilliseconds, Compression = Compression };

        // A proxy's own machine is another. Where TLS is spoken the SDK's client is kept, for it alone has the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE.
        if (Endpoint.IsLoopback && Endpoint.Scheme == Uri.UriSchemeHttp)
            options.HttpClientFactory = () => new HttpClient(new SocketsHttpHandler { UseProxy = false }) { Timeout = TimeSpan.FromMilliseconds(TimeoutMilliseconds) };

        // Given to the SDK as one text, a comma in a value would part it, and an empty part or a name that comes twice would end the start.
        var connect = options.HttpClientFactory;
        options.HttpClientFactory = () => WithHeaders(connect());
        return options;
    }

    private HttpClient WithHeaders(HttpClient client)
    {
        foreach (var (name, value) in Headers)
            client.DefaultRequestHeaders.Add(name, value);
        return client;
    }
}
