using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>An authority of the tests' own, which signs whatever certificate a test needs.</summary>
internal sealed class Authority : IDisposable
{
    private static readonly DateTimeOffset s_from = DateTimeOffset.UtcNow.AddDays(-1);
    private readonly ECDsa _key;

    public Authority(string name = "CN=Test authority", Authority? parent = null)
    {
        _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(name, _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        request.CertificateExtensions.Add(new X509SubjectKeyIdentifierExtension(request.PublicKey, false));
        Certificate = parent is null ? request.CreateSelfSigned(s_from, s_from.AddDays(30)) : parent.Sign(request);
    }

    /// <summary>With its key, where it was self-signed.</summary>
    public X509Certificate2 Certificate { get; }

    public void Dispose()
    {
        Certificate.Dispose();
        _key.Dispose();
    }

    /// <summary>A certificate with its key, for a server of these names (or addresses) or for a client.</summary>
    public X509Certificate2 Issue(string subject, params string[] names)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA256);
        var san = new SubjectAlternativeNameBuilder();
        foreach (var name in names)
        {
            if (IPAddress.TryParse(name, out var address))
                san.AddIpAddress(address);
            else
                san.AddDnsName(name);
        }

        if (names.Length > 0)
            request.CertificateExtensions.Add(san.Build());
        using var signed = Sign(request);
        return signed.CopyWithPrivateKey(key);
    }

    private X509Certificate2 Sign(CertificateRequest request) =>
        request.Create(Certificate.SubjectName, X509SignatureGenerator.CreateForECDsa(_key), s_from, s_from.AddDays(20), RandomNumberGenerator.GetBytes(8));
}
