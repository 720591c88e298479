using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Worker.Otlp;
using Microsoft.Extensions.Configuration;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class SdkRulesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-otlp-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "5")]
    [InlineData("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "5")]
    [InlineData("OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY", "in_memory")]
    public void What_the_SDK_reads_by_itself_must_stand_in_the_environment(string name, string value)
    {
        var (set, other) = (Variables((name, value)), Variables((name, "7")));

        Assert.Empty(SdkRules.Broken(set, set));
        string[] cure = [$"{name}: It is read from the environment alone; set it there."];
        Assert.Equal(cure, Told(set, Variables()));
        Assert.Equal(cure, Told(set, other));
    }

    [Fact]
    public void Certificates_of_a_file_are_refused_for_the_SDK_would_not_see_them()
    {
        var set = Variables(("OTEL_EXPORTER_OTLP_CERTIFICATE", File("ca.pem", Certificate().ExportCertificatePem())));

        Assert.Empty(SdkRules.Broken(set, set));
        Assert.Equal(["OTEL_EXPORTER_OTLP_CERTIFICATE: It is read from the environment alone; set it there."], Told(set, Variables()));
    }

    [Theory]
    [InlineData("OTEL_SPAN_LINK_COUNT_LIMIT", "many", "'many' is no limit; set a whole number from 0 on.")]
    [InlineData("OTEL_SPAN_LINK_COUNT_LIMIT", "-1", "'-1' is no limit; set a whole number from 0 on.")]
    [InlineData("OTEL_SPAN_LINK_COUNT_LIMIT", " 1", "' 1' is no limit; set a whole number from 0 on.")]
    [InlineData("OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY", "often", "'often' is unknown; set in_memory or disk.")]
    [InlineData("OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY", "disk", "On disk there must be a folder for it; set OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH.")]
    [InlineData("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "s3cret", "The SDK has none for one kind of telemetry; set OTEL_EXPORTER_OTLP_CERTIFICATE, which is for all.")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY", "s3cret", "The SDK has none for one kind of telemetry; set OTEL_EXPORTER_OTLP_CLIENT_KEY, which is for all.")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE", "s3cret", "The SDK has none for one kind of telemetry; set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE, which is for all.")]
    [InlineData("OTEL_EXPORTER_OTLP_CERTIFICATE", "s3cret", "It is no file with a certificate; set the path of one, PEM or DER, that this user may read.")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_KEY", "s3cret", "A key is of no use without its certificate; set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE too.")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "s3cret", "It is no file with a certificate and its key; set the path of one, PKCS #12 without a password or PEM, or that of the key in OTEL_EXPORTER_OTLP_CLIENT_KEY.")]
    public void What_the_SDK_can_not_use_is_told_in_a_line_that_names_its_cure(string name, string value, string problem)
    {
        var set = Variables((name, value));

        Assert.Equal([$"{name}: {problem}"], Told(set, set));
    }

    [Fact]
    public void What_a_collector_did_not_take_is_kept_where_a_folder_can_be_made_and_none_is_made_meanwhile()
    {
        var taken = File("taken", "");

        Assert.Empty(OnDisk(_folder));
        Assert.Empty(OnDisk(Path.Combine(_folder, "new", "er")));
        Assert.Equal([taken], Directory.GetFileSystemEntries(_folder));
        foreach (var wrong in new[] { taken, Path.Combine(taken, "below"), "/proc/nowhere" })
            Assert.Equal(["OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH: Nothing can be kept there; set the path of a folder that this user may write into, or may make."], OnDisk(wrong));
    }

    [Fact]
    public void A_client_is_known_by_a_certificate_and_its_key_in_one_file_or_in_two()
    {
        var (certificate, other) = (Certificate(), Certificate());
        var (pem, key) = (certificate.ExportCertificatePem(), certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());
        var (one, two) = (File("one.pem", $"{pem}\n{key}"), File("two.pem", pem));

        Assert.Empty(Client(one, null));
        Assert.Empty(Client(two, File("key.pem", key)));
        Assert.StartsWith("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: It is no file with a certificate and its key;", Assert.Single(Client(two, null)));
        Assert.StartsWith("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: No certificate can be made of it", Assert.Single(Client(two, File("other.pem", other.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem()))));
    }

    private static string[] OnDisk(string folder)
    {
        var set = Variables(("OTEL_DOTNET_EXPERIMENTAL_OTLP_RETRY", "disk"), ("OTEL_DOTNET_EXPERIMENTAL_OTLP_DISK_RETRY_DIRECTORY_PATH", folder));
        return Told(set, set);
    }

    private static string[] Client(string file, string? key)
    {
        var set = Variables(("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", file), ("OTEL_EXPORTER_OTLP_CLIENT_KEY", key));
        return Told(set, set);
    }

    private static string[] Told(IConfiguration configuration, IConfiguration environment) =>
        [.. SdkRules.Broken(configuration, environment).Select(error => $"{error.Setting}: {error.Problem}")];

    private static IConfiguration Variables(params (string Name, string? Value)[] set) =>
        new ConfigurationBuilder().AddInMemoryCollection(set.ToDictionary(one => one.Name, one => one.Value)).Build();

    private static X509Certificate2 Certificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return new CertificateRequest("CN=collector", key, HashAlgorithmName.SHA256).CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
    }

    private string File(string name, string text)
    {
        var path = Path.Combine(_folder, name);
        System.IO.File.WriteAllText(path, text);
        return path;
    }
}
