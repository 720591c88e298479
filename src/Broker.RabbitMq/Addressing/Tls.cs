using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Whom to trust and what to show on a TLS connection, read from the files that the options name.</summary>
internal sealed class Tls
{
    private readonly X509Certificate2Collection? _authorities;
    private readonly X509Certificate2Collection _shown;

    private Tls(X509Certificate2Collection? authorities, X509Certificate2Collection shown) => (_authorities, _shown) = (authorities, shown);

    /// <summary>Read anew for each connection, so that files may be replaced before the certificates in them expire.</summary>
    /// <exception cref="TlsFileException">A file is missing, or does not hold what it should.</exception>
    public static Tls Read(RabbitMqBrokerOptions options)
    {
        if (options is { ClientCertificateFile: null, ClientKeyFile: not null })
            throw new TlsFileException("ClientKeyFile", "A key is of no use without its certificate; set Worker__RabbitMq__ClientCertificateFile too.");
        return new(
            options.CaFile is { } caFile ? Certificates("CaFile", caFile) : null,
            options.ClientCertificateFile is { } certificateFile ? [ClientCertificate(certificateFile, options.ClientKeyFile)] : []);
    }

    /// <summary>Who is trusted, where that is not for the machine's authorities to say.</summary>
    public RemoteCertificateValidationCallback? Trust => _authorities is null ? null : IsTrusted;

    /// <summary>For one host, whose certificate must name it.</summary>
    public SslOption For(ServerHost host) => new()
    {
        Enabled = true,
        ServerName = host.Name,
        Certs = _shown,
        CertificateValidationCallback = Trust,
    };

    // The platform has judged by the machine's authorities; of that judgement only the name's part counts here.
    private bool IsTrusted(object sender, X509Certificate? certificate, X509Chain? sent, SslPolicyErrors errors)
    {
        const SslPolicyErrors Fatal = SslPolicyErrors.RemoteCertificateNotAvailable | SslPolicyErrors.RemoteCertificateNameMismatch;
        if ((errors & Fatal) != 0 || certificate is not X509Certificate2 server)
            return false;

        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(_authorities!);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.DisableCertificateDownloads = true;
        chain.ChainPolicy.ApplicationPolicy.Add(new Oid("1.3.6.1.5.5.7.3.1", "TLS server"));
        if (sent is not null)
            chain.ChainPolicy.ExtraStore.AddRange(sent.ChainPolicy.ExtraStore);
        return chain.Build(server);
    }

    private static X509Certificate2Collection Certificates(string setting, string file)
    {
        const string Cure = "set a file of certificates in PEM form.";
        var certificates = new X509Certificate2Collection();
        Read(setting, file, () => certificates.ImportFromPemFile(file), $"{file} holds a broken certificate; {Cure}");
        return certificates.Count > 0 ? certificates : throw new TlsFileException(setting, $"{file} holds no certificate; {Cure}");
    }

    private static X509Certificate2 ClientCertificate(string file, string? keyFile)
    {
        // For a message that names the right one of the two files.
        Certificates("ClientCertificateFile", file);

        X509Certificate2? client = null;
        Read(
            keyFile is null ? "ClientCertificateFile" : "ClientKeyFile",
            keyFile ?? file,
            () => client = X509Certificate2.CreateFromPemFile(file, keyFile),
            $"{keyFile ?? file} holds no key that belongs to the certificate; set a PEM file with its key, not protected by a passphrase.");

        // Windows shows no certificate whose key was never stored; read from PKCS #12 it is.
        return OperatingSystem.IsWindows() ? X509CertificateLoader.LoadPkcs12(client!.Export(X509ContentType.Pkcs12), null) : client!;
    }

    private static void Read(string setting, string file, Action read, string otherwise)
    {
        try
        {
            read();
        }
        catch (Exception problem) when (problem is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new TlsFileException(setting, $"There is no file {file}; set the path of a PEM file.", problem);
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new TlsFileException(setting, $"{file} can't be read; set the path of a PEM file that the worker's user may read.", problem);
        }
        catch (Exception problem) when (problem is CryptographicException or ArgumentException)
        {
            throw new TlsFileException(setting, otherwise, problem);
        }
    }
}
