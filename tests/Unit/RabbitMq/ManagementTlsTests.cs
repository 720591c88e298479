using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>A management API behind https, whose certificate no authority of this machine has signed.</summary>
public sealed class ManagementTlsTests : IDisposable
{
    private static readonly byte[] s_answer = "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"type\":\"quorum\"}"u8.ToArray();

    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-tls-").FullName;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Authority _authority = new();
    private readonly X509Certificate2 _certificate;
    private readonly string _address;

    public ManagementTlsTests()
    {
        _certificate = _authority.Issue("CN=management", "localhost");
        _listener.Start();
        _address = $"https://localhost:{((IPEndPoint)_listener.LocalEndpoint).Port}";
    }

    public void Dispose()
    {
        _listener.Dispose();
        _certificate.Dispose();
        _authority.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task It_is_trusted_where_the_server_would_be()
    {
        File.WriteAllText(CaFile, _authority.Certificate.ExportCertificatePem());

        Assert.Equal("quorum", (await AskAsync(CaFile)).Type);
    }

    [Fact]
    public async Task Where_its_authority_is_not_known_the_setting_that_cures_it_is_named()
    {
        var problem = await Assert.ThrowsAsync<BrokerException>(() => AskAsync(caFile: null));

        Assert.StartsWith($"The management API at {_address} can't be trusted (", problem.Message, StringComparison.Ordinal);
        Assert.EndsWith("). Set Worker__RabbitMq__CaFile to the authority that signed its certificate. Check Worker__RabbitMq__ManagementUri, or leave it out.", problem.Message, StringComparison.Ordinal);
        Assert.False(problem.IsTransient);
    }

    [Fact]
    public async Task A_file_that_is_gone_is_named()
    {
        var problem = await Assert.ThrowsAsync<BrokerException>(() => AskAsync(CaFile));

        Assert.Equal($"Worker__RabbitMq__CaFile: There is no file {CaFile}; set the path of a PEM file.", problem.Message);
    }

    private string CaFile => Path.Combine(_folder, "ca.pem");

    private async Task<QueueReport> AskAsync(string? caFile)
    {
        var serving = ServeAsync();
        using var api = ManagementApi.Of(new() { Uri = "amqps://localhost", ManagementUri = _address, CaFile = caFile })!;
        try
        {
            return await api.ReportAsync("/", "orders", TestContext.Current.CancellationToken);
        }
        finally
        {
            _listener.Stop();
            await Record.ExceptionAsync(() => serving);
        }
    }

    // One request, which is read as far as it has come: nothing is asked with a body.
    private async Task ServeAsync()
    {
        using var accepted = await _listener.AcceptTcpClientAsync();
        await using var stream = new SslStream(accepted.GetStream());
        await stream.AuthenticateAsServerAsync(_certificate);
        await stream.ReadAtLeastAsync(new byte[1], 1);
        await stream.WriteAsync(s_answer);
    }
}
