using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Holdfast.Tests.Servers;

/// <summary>Certificates made for one server: an authority of its own, one for the server and one for a client; all as PEM files.</summary>
public sealed class Certificates
{
    /// <summary>Whom the client's certificate names.</summary>
    public const string ClientName = "holdfast-client";

    private static readonly DateTimeOffset s_from = DateTimeOffset.UtcNow.AddDays(-1);
    private static readonly DateTimeOffset s_to = DateTimeOffset.UtcNow.AddDays(30);

    private readonly string _folder;

    private Certificates(string folder) => _folder = folder;

    public string CaFile => In("ca.pem");

    public string ClientFile => In("client.pem");

    public string ClientKeyFile => In("client-key.pem");

    /// <summary>An authority that signed none of them.</summary>
    public string StrangerCaFile => In("stranger.pem");

    public string ServerFile => In("server.pem");

    public string ServerKeyFile => In("server-key.pem");

    public static Certificates Make(string folder)
    {
        var files = new Certificates(folder);
        using var authority = Authority("CN=Holdfast test authority");
        using var stranger = Authority("CN=Some other authority");
        File.WriteAllText(files.CaFile, authority.ExportCertificatePem());
        File.WriteAllText(files.StrangerCaFile, stranger.ExportCertificatePem());
        Issue(authority, "localhost", files.ServerFile, files.ServerKeyFile);
        Issue(authority, ClientName, files.ClientFile, files.ClientKeyFile);
        return files;
    }

    private static X509Certificate2 Authority(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(name, key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign, critical: true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, critical: false));
        return request.CreateSelfSigned(s_from, s_to);
    }

    private static void Issue(X509Certificate2 authority, string name, string file, string keyFile)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(name);
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: false, false, 0, critical: true));
        request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(authority, true, false));
        using var certificate = request.Create(authority, s_from, s_to, RandomNumberGenerator.GetBytes(8));
        File.WriteAllText(file, certificate.ExportCertificatePem());
        File.WriteAllText(keyFile, key.ExportPkcs8PrivateKeyPem());
    }

    private string In(string name) => Path.Combine(_folder, name);
}
