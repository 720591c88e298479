using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Consumer;

namespace Holdfast.Worker.Otlp;

/// <summary>What must hold of the certificates that a collector is spoken to with. No value is shown, for somebody may have set a key itself.</summary>
internal static class CertificateRules
{
    private const string Exporter = "OTEL_EXPORTER_OTLP_";
    private const string Authority = $"{Exporter}CERTIFICATE";
    private const string Client = $"{Exporter}CLIENT_CERTIFICATE";
    private const string Key = $"{Exporter}CLIENT_KEY";

    public static IReadOnlyList<string> Names { get; } = [Authority, Client, Key];

    /// <summary>What changes nothing where it is set, because TLS is spoken with nobody that anything is sent to.</summary>
    public static IEnumerable<string> Idle(OtlpTarget?[] targets) =>
        targets.Any(target => target is not null) && targets.All(target => target?.Endpoint.Scheme != Uri.UriSchemeHttps) ? Names : [];

    public static IEnumerable<OptionError> Broken(IConfiguration configuration) =>
        [.. OfOneKind(configuration), .. BrokenAuthority(configuration[Authority]), .. BrokenClient(configuration[Client], configuration[Key])];

    private static IEnumerable<OptionError> OfOneKind(IConfiguration configuration) =>
        from kind in (string[])["TRACES_", "METRICS_"]
        from common in Names
        let name = common.Insert(Exporter.Length, kind)
        where OtelSettings.Text(configuration, name) is not null
        select new OptionError(name, $"The SDK has none for one kind of telemetry; set {common}, which is for all.");

    private static IEnumerable<OptionError> BrokenAuthority(string? file) =>
        string.IsNullOrWhiteSpace(file) || CanLoad(() => X509CertificateLoader.LoadCertificateFromFile(file))
            ? []
            : [new(Authority, "It is no file with a certificate; set the path of one, PEM or DER, that this user may read.")];

    private static IEnumerable<OptionError> BrokenClient(string? file, string? key)
    {
        var hasKey = !string.IsNullOrWhiteSpace(key);
        if (string.IsNullOrWhiteSpace(file))
            return hasKey ? [new(Key, $"A key is of no use without its certificate; set {Client} too.")] : [];
        if (hasKey)
        {
            return CanLoad(() => X509Certificate2.CreateFromPemFile(file, key))
                ? []
                : [new(Client, $"No certificate can be made of it and {Key}; set the paths of two PEM files that belong together, and that this user may read.")];
        }

        return CanLoad(() => X509CertificateLoader.LoadPkcs12FromFile(file, null)) || CanLoad(() => X509Certificate2.CreateFromPemFile(file))
            ? []
            : [new(Client, $"It is no file with a certificate and its key; set the path of one, PKCS #12 without a password or PEM, or that of the key in {Key}.")];
    }

    // In the ways of the SDK, which ends the start where it can't.
    private static bool CanLoad(Func<X509Certificate2> load)
    {
        try
        {
            using var certificate = load();
            return true;
        }
        catch (Exception problem) when (problem is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }
}
