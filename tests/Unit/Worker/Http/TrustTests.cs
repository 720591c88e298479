using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class TrustTests : IDisposable
{
    private static readonly DateTimeOffset s_now = DateTimeOffset.UtcNow;

    private readonly X509Certificate2 _valid = Make("CN=shop", s_now.AddDays(9));
    private readonly X509Certificate2 _expired = Make("CN=old", s_now.AddDays(-1));
    private readonly string _file = Path.GetTempFileName();

    public void Dispose()
    {
        _valid.Dispose();
        _expired.Dispose();
        File.Delete(_file);
    }

    [Fact]
    public void One_whose_authority_is_in_the_file_is_trusted() =>
        Assert.True(Check(_valid, _valid, SslPolicyErrors.RemoteCertificateChainErrors));

    [Fact]
    public void One_that_has_run_out_is_not_for_want_of_an_authority()
    {
        var problem = Distrust(_expired, _expired, SslPolicyErrors.RemoteCertificateChainErrors);

        Assert.Equal(("certificate has expired.", false, false), (problem.Message, problem.IsOfNobodyKnown, problem.IsMisnamed));
    }

    [Fact]
    public void One_for_another_host_is_not_for_want_of_an_authority()
    {
        var problem = Distrust(_valid, _valid, SslPolicyErrors.RemoteCertificateChainErrors | SslPolicyErrors.RemoteCertificateNameMismatch);

        Assert.Equal(("certificate names another host.", false, true), (problem.Message, problem.IsOfNobodyKnown, problem.IsMisnamed));
    }

    [Fact]
    public void One_that_nobody_known_has_signed_is()
    {
        var problem = Distrust(_valid, _expired, SslPolicyErrors.RemoteCertificateChainErrors);

        Assert.Equal((true, false), (problem.IsOfNobodyKnown, problem.IsMisnamed));
        Assert.Contains("self-signed certificate", problem.Message);
    }

    [Fact]
    public void One_that_is_not_there_is_told_so() =>
        Assert.Equal("no certificate is shown.", Assert.Throws<UntrustedException>(() => Trust.Check(null, null, SslPolicyErrors.RemoteCertificateNotAvailable, caFile: null)).Message);

    [Fact]
    public void Without_a_file_it_is_the_platform_that_judges()
    {
        using var chain = new X509Chain();

        Assert.True(Trust.Check(_valid, chain, SslPolicyErrors.None, caFile: null));
    }

    [Fact]
    public void A_file_that_holds_no_authority_is_named_with_its_setting()
    {
        using var chain = new X509Chain();

        var problem = Assert.Throws<UntrustedException>(() => Trust.Check(_valid, chain, SslPolicyErrors.RemoteCertificateChainErrors, _file));

        Assert.StartsWith($"Worker__Http__CaFile: {_file} ", problem.Message);
        Assert.False(problem.IsOfNobodyKnown);
    }

    private UntrustedException Distrust(X509Certificate2 shown, X509Certificate2 authority, SslPolicyErrors errors) =>
        Assert.Throws<UntrustedException>(() => Check(shown, authority, errors));

    private bool Check(X509Certificate2 shown, X509Certificate2 authority, SslPolicyErrors errors)
    {
        File.WriteAllText(_file, authority.ExportCertificatePem());
        using var chain = new X509Chain { ChainPolicy = new() { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck, DisableCertificateDownloads = true } };
        return Trust.Check(shown, chain, errors, _file);
    }

    private static X509Certificate2 Make(string name, DateTimeOffset until)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return new CertificateRequest(name, key, HashAlgorithmName.SHA256).CreateSelfSigned(s_now.AddDays(-9), until);
    }
}
