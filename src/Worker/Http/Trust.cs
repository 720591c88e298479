using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Broker;

namespace Holdfast.Worker.Http;

/// <summary>Judges the certificate that a connection is to be trusted by, and says what is wrong with it: once it is judged here, .NET says only that it was. On the pool.</summary>
internal static class Trust
{
    private const X509ChainStatusFlags OfNobodyKnown = X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain;

    /// <param name="shown">The certificate.</param>
    /// <param name="chain">How the platform has judged it; with a file, by no authority at all.</param>
    /// <param name="errors">What it has found.</param>
    /// <param name="caFile">The authorities to trust in place of the machine's.</param>
    /// <exception cref="UntrustedException">It can't be trusted.</exception>
    public static bool Check(X509Certificate? shown, X509Chain? chain, SslPolicyErrors errors, string? caFile)
    {
        if (shown is not X509Certificate2 certificate || chain is null)
            throw new UntrustedException("no certificate is shown.");

        var isSound = caFile is null ? !errors.HasFlag(SslPolicyErrors.RemoteCertificateChainErrors) : IsSignedByOneOf(caFile, certificate, chain);
        var isMisnamed = errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch);
        if (isSound && !isMisnamed)
            return true;

        var problems = isSound ? [] : chain.ChainStatus;
        throw new UntrustedException($"{string.Join(", ", problems.Select(problem => problem.StatusInformation.Trim()).Concat(isMisnamed ? ["certificate names another host"] : []))}.")
        {
            IsOfNobodyKnown = problems.Any(problem => (problem.Status & OfNobodyKnown) != 0),
            IsMisnamed = isMisnamed,
        };
    }

    // The file is read anew for each connection, and may have been replaced.
    private static bool IsSignedByOneOf(string caFile, X509Certificate2 certificate, X509Chain chain)
    {
        try
        {
            chain.ChainPolicy.CustomTrustStore.AddRange(Authorities.Read(caFile));
        }
        catch (FormatException problem)
        {
            throw new UntrustedException($"Worker__Http__CaFile: {problem.Message}");
        }

        return chain.Build(certificate);
    }
}
