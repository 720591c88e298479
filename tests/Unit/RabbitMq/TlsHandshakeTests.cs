using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class TlsHandshakeTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-tls-").FullName;
    private readonly Authority _authority = new();

    public void Dispose()
    {
        _authority.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("broker.test", "broker.test")]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("::1", "::1")]
    public async Task A_server_whose_authority_is_in_the_file_is_trusted(string name, string host)
    {
        using var server = _authority.Issue("CN=server", name);

        await HandshakeAsync(Trusting(_authority), host, server);
    }

    [Fact]
    public async Task A_server_of_another_authority_is_not_trusted()
    {
        using var other = new Authority();
        using var server = other.Issue("CN=server", "broker.test");

        await Assert.ThrowsAsync<AuthenticationException>(() => HandshakeAsync(Trusting(_authority), "broker.test", server));
    }

    [Fact]
    public async Task A_server_with_another_name_is_not_trusted()
    {
        using var server = _authority.Issue("CN=server", "other.test");

        await Assert.ThrowsAsync<AuthenticationException>(() => HandshakeAsync(Trusting(_authority), "broker.test", server));
    }

    [Fact]
    public async Task Without_a_file_the_machine_s_authorities_decide()
    {
        using var server = _authority.Issue("CN=server", "broker.test");

        await Assert.ThrowsAsync<AuthenticationException>(() => HandshakeAsync(new() { Uri = "amqps://one" }, "broker.test", server));
    }

    [Fact]
    public async Task An_authority_in_between_may_come_from_the_server_or_from_the_file()
    {
        using var between = new Authority("CN=In between", _authority);
        using var server = between.Issue("CN=server", "broker.test");

        await HandshakeAsync(Trusting(_authority), "broker.test", server, between.Certificate);
        await HandshakeAsync(Trusting(_authority, between), "broker.test", server);
        await Assert.ThrowsAsync<AuthenticationException>(() => HandshakeAsync(Trusting(_authority), "broker.test", server));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_client_shows_its_certificate(bool inOneFile)
    {
        using var server = _authority.Issue("CN=server", "broker.test");
        using var client = _authority.Issue("CN=client");
        var (certificate, key) = (client.ExportCertificatePem(), client.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem());

        var shown = await HandshakeAsync(
            Trusting([_authority], Write("client.pem", inOneFile ? certificate + "\n" + key : certificate), inOneFile ? null : Write("key.pem", key)),
            "broker.test",
            server);

        Assert.Equal("CN=client", shown);
    }

    private RabbitMqBrokerOptions Trusting(params Authority[] authorities) => Trusting(authorities, null, null);

    private RabbitMqBrokerOptions Trusting(Authority[] authorities, string? certificate, string? key) => new()
    {
        Uri = "amqps://one",
        CaFile = Write("ca.pem", string.Join('\n', authorities.Select(a => a.Certificate.ExportCertificatePem()))),
        ClientCertificateFile = certificate,
        ClientKeyFile = key,
    };

    private string Write(string name, string text)
    {
        var path = Path.Combine(_folder, name);
        File.WriteAllText(path, text);
        return path;
    }

    // As RabbitMQ.Client does it, from the same options. Gives back the subject of what the client showed.
    private static async Task<string?> HandshakeAsync(RabbitMqBrokerOptions options, string host, X509Certificate2 server, X509Certificate2? between = null)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var socket = new TcpClient();
        await socket.ConnectAsync((IPEndPoint)listener.LocalEndpoint);
        using var accepted = await listener.AcceptTcpClientAsync();

        var ssl = Tls.Read(options).For(new(host, 5671));
        Assert.True(ssl.Enabled);
        await using var here = new SslStream(socket.GetStream(), false, ssl.CertificateValidationCallback);
        await using var there = new SslStream(accepted.GetStream(), false, (_, shown, _, _) => shown is not null || options.ClientCertificateFile is null);
        var serving = there.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(server, between is null ? [] : [between], offline: true),
            ClientCertificateRequired = options.ClientCertificateFile is not null,
        });
        try
        {
            await here.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = ssl.ServerName, ClientCertificates = ssl.Certs });
        }
        catch
        {
            socket.Close();
            await Record.ExceptionAsync(() => serving);
            throw;
        }

        await serving;
        return there.RemoteCertificate?.Subject;
    }
}
