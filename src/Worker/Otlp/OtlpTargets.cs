using System.Globalization;
using Holdfast.Consumer;
using OpenTelemetry.Exporter;

namespace Holdfast.Worker.Otlp;

/// <summary>Reads where telemetry is sent: what is said of one kind of it goes before what is said of all.</summary>
internal sealed class OtlpTargets(IConfiguration configuration, List<OptionError> errors)
{
    private const string Exporter = "OTEL_EXPORTER_OTLP_";
    private const int DefaultTimeout = 10_000;
    private const string Grpc = "grpc";
    private const string Http = "http/protobuf";

    private static readonly string[] s_signals = ["TRACES", "METRICS"];
    private static readonly string[] s_terms = ["ENDPOINT", "PROTOCOL", "TIMEOUT", "HEADERS", "COMPRESSION"];

    public static IEnumerable<string> Names { get; } =
    [
        .. s_signals.Select(Switch),
        .. s_terms.SelectMany(term => s_signals.Select(signal => Own(signal, term)).Prepend(Common(term))),
    ];

    /// <summary>Null where it is not to be sent.</summary>
    /// <param name="signal">The kind of telemetry, as the variables name it.</param>
    /// <param name="others">What else may be asked for, because it is there anyway.</param>
    public OtlpTarget? Of(string signal, params string[] others)
    {
        var isWanted = IsWanted(signal, others);
        var (protocol, timeout, headers, compression) = (Protocol(signal), Timeout(signal), Headers(signal), Compression(signal));
        return Endpoint(signal, protocol) is { } endpoint && isWanted ? new(endpoint, protocol, headers, timeout, compression) : null;
    }

    private bool IsWanted(string signal, string[] others)
    {
        var name = Switch(signal);
        if (OtelSettings.Text(configuration, name) is not { } text)
            return Find(signal, "ENDPOINT").Text is not null;

        string[] known = ["otlp", "none", .. others];
        var asked = text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        foreach (var unknown in asked.Except(known, StringComparer.OrdinalIgnoreCase))
            errors.Add(new(name, $"'{unknown}' is unknown; set otlp or none."));
        return asked.Contains("otlp", StringComparer.OrdinalIgnoreCase);
    }

    private Uri? Endpoint(string signal, OtlpExportProtocol protocol)
    {
        var (name, text) = Find(signal, "ENDPOINT");
        var port = protocol == OtlpExportProtocol.Grpc ? 4317 : 4318;
        text ??= $"http://localhost:{port}";
        if (!Uri.TryCreate(text, UriKind.Absolute, out var address) || address.Scheme is not ("http" or "https") || address.Host.Length == 0)
        {
            // The text may hold a secret, so it is not shown.
            errors.Add(new(name, $"It is no address; set one such as http://localhost:{port}."));
            return null;
        }

        // Said of one kind of telemetry, an address is complete; said of all, each kind has a path of its own below it.
        return protocol == OtlpExportProtocol.Grpc || name.Contains(signal, StringComparison.Ordinal)
            ? address
            : new Uri($"{address.GetLeftPart(UriPartial.Path).TrimEnd('/')}/v1/{signal.ToLowerInvariant()}{address.Query}");
    }

    private OtlpExportProtocol Protocol(string signal)
    {
        var (name, text) = Find(signal, "PROTOCOL");
        if (text is not (null or Grpc or Http))
            errors.Add(new(name, $"'{text}' is unknown; set {Grpc} or {Http}."));
        return text == Http ? OtlpExportProtocol.HttpProtobuf : OtlpExportProtocol.Grpc;
    }

    private int Timeout(string signal)
    {
        var (name, text) = Find(signal, "TIMEOUT");
        var milliseconds = DefaultTimeout;
        if (text is not null && !(int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out milliseconds) && milliseconds > 0))
            errors.Add(new(name, $"'{text}' is no time; set milliseconds, such as {DefaultTimeout}."));
        return milliseconds;
    }

    private OtlpExportCompression Compression(string signal)
    {
        var (name, text) = Find(signal, "COMPRESSION");
        var isPacked = string.Equals(text, "gzip", StringComparison.OrdinalIgnoreCase);
        if (text is not null && !isPacked && !text.Equals("none", StringComparison.OrdinalIgnoreCase))
            errors.Add(new(name, $"'{text}' is unknown; set gzip or none."));
        return isPacked ? OtlpExportCompression.GZip : OtlpExportCompression.None;
    }

    private KeyValuePair<string, string>[] Headers(string signal)
    {
        var (name, text) = Find(signal, "HEADERS");
        try
        {
            return OtlpHeaders.Read(text ?? "");
        }
        catch (FormatException wrong)
        {
            errors.Add(new(name, wrong.Message));
            return [];
        }
    }

    private static string Switch(string signal) => $"OTEL_{signal}_EXPORTER";

    private static string Own(string signal, string what) => $"{Exporter}{signal}_{what}";

    private static string Common(string what) => Exporter + what;

    private (string Name, string? Text) Find(string signal, string what)
    {
        var (own, common) = (Own(signal, what), Common(what));
        return OtelSettings.Text(configuration, own) is { } text ? (own, text) : (common, OtelSettings.Text(configuration, common));
    }
}
