using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Holdfast.Broker;

/// <summary>Whom to trust on a TLS connection, in place of those whom the machine trusts.</summary>
internal static class Authorities
{
    private const string Cure = "set a file with the authorities to trust (PEM).";

    /// <summary>Read anew for each connection, so that the file may be replaced before the certificates in it expire.</summary>
    /// <exception cref="FormatException">The file can't be read as certificates.</exception>
    public static X509Certificate2Collection Read(string file)
    {
        var certificates = new X509Certificate2Collection();
        try
        {
            certificates.ImportFromPemFile(file);
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new FormatException($"{file} can't be read as certificates; {Cure}", problem);
        }

        return certificates.Count > 0 ? certificates : throw new FormatException($"{file} holds no certificate; {Cure}");
    }
}
