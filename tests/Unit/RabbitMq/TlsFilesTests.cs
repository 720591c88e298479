using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class TlsFilesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-tls-").FullName;
    private readonly Authority _authority = new();

    public void Dispose()
    {
        _authority.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void A_missing_file_is_named_with_its_setting()
    {
        var file = Path.Combine(_folder, "none.pem");

        Assert.Equal($"Worker__RabbitMq__CaFile: There is no file {file}; set the path of a PEM file.", Problem(ca: file));
        Assert.Equal($"Worker__RabbitMq__ClientCertificateFile: There is no file {file}; set the path of a PEM file.", Problem(certificate: file));
        Assert.Equal($"Worker__RabbitMq__ClientKeyFile: There is no file {file}; set the path of a PEM file.", Problem(certificate: Certificate(), key: file));
        Assert.Equal($"Worker__RabbitMq__CaFile: There is no file {file}/none; set the path of a PEM file.", Problem(ca: file + "/none"));
    }

    [Fact]
    public void A_folder_is_no_file() =>
        Assert.Equal($"Worker__RabbitMq__CaFile: {_folder} can't be read; set the path of a PEM file that the worker's user may read.", Problem(ca: _folder));

    [Fact]
    public void A_file_without_a_certificate_is_refused()
    {
        var file = File("text.pem", "no certificate");

        Assert.Equal($"Worker__RabbitMq__CaFile: {file} holds no certificate; set a file of certificates in PEM form.", Problem(ca: file));
        Assert.Equal($"Worker__RabbitMq__ClientCertificateFile: {file} holds no certificate; set a file of certificates in PEM form.", Problem(certificate: file));
    }

    [Fact]
    public void A_broken_certificate_is_refused()
    {
        var file = File("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

        Assert.Equal($"Worker__RabbitMq__CaFile: {file} holds a broken certificate; set a file of certificates in PEM form.", Problem(ca: file));
    }

    [Fact]
    public void A_certificate_without_its_key_is_refused()
    {
        var certificate = Certificate();

        Assert.StartsWith($"Worker__RabbitMq__ClientCertificateFile: {certificate} holds no key that belongs to the certificate", Problem(certificate: certificate));
    }

    [Fact]
    public void The_key_of_another_certificate_is_refused()
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var key = File("key.pem", other.ExportPkcs8PrivateKeyPem());

        Assert.StartsWith($"Worker__RabbitMq__ClientKeyFile: {key} holds no key that belongs to the certificate", Problem(certificate: Certificate(), key: key));
    }

    [Fact]
    public void A_key_under_a_passphrase_is_refused()
    {
        using var client = _authority.Issue("CN=client");
        using var own = client.GetECDsaPrivateKey()!;
        var certificate = File("client.pem", client.ExportCertificatePem());
        var key = File("key.pem", own.ExportEncryptedPkcs8PrivateKeyPem("pass", new(PbeEncryptionAlgorithm.Aes128Cbc, HashAlgorithmName.SHA256, 1000)));

        Assert.StartsWith($"Worker__RabbitMq__ClientKeyFile: {key} holds no key that belongs to the certificate", Problem(certificate: certificate, key: key));
    }

    [Fact]
    public void A_key_alone_is_refused() =>
        Assert.Equal("Worker__RabbitMq__ClientKeyFile: A key is of no use without its certificate; set Worker__RabbitMq__ClientCertificateFile too.", Problem(key: "key.pem"));

    private string Certificate()
    {
        using var client = _authority.Issue("CN=client");
        return File("client.pem", client.ExportCertificatePem());
    }

    private string File(string name, string text)
    {
        var path = Path.Combine(_folder, name);
        System.IO.File.WriteAllText(path, text);
        return path;
    }

    private static string Problem(string? ca = null, string? certificate = null, string? key = null)
    {
        var wrong = Assert.Throws<TlsFileException>(
            () => Tls.Read(new() { Uri = "amqps://one", CaFile = ca, ClientCertificateFile = certificate, ClientKeyFile = key }));
        var problem = Problems.Of(wrong, ServerAddress.Parse("amqps://one"));
        Assert.False(problem.IsTransient);
        return problem.Message;
    }
}
