using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

public sealed class SecurityTests
{
    [Theory]
    [InlineData("PLAIN")]
    [InlineData("EXTERNAL")]
    [InlineData("MSSBCBS")]
    [InlineData("ANONYMOUS")]
    [InlineData("")]
    public async Task One_is_let_in_by_whatever_the_peer_has(string mechanism)
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync("--mechanisms", mechanism, "--user", "me", "--password", "secret");
        SaslMechanism[] ours = [SaslMechanism.Plain("me", "secret"), SaslMechanism.External, new SaslMechanism("MSSBCBS"), SaslMechanism.Anonymous];
        var options = new AmqpConnectionOptions { Host = "127.0.0.1", Port = peer.Port, Sasl = mechanism.Length > 0 ? ours : [] };
        await SendsAsync(options);
    }

    [Fact]
    public async Task A_wrong_password_is_refused_and_not_shown()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync("--mechanisms", "PLAIN", "--user", "me", "--password", "secret");
        var refused = await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(Peers.Options(peer.Port, null, SaslMechanism.Plain("me", "wrong"))));
        Assert.Equal(ErrorConditions.UnauthorizedAccess, refused.Condition);
        Assert.DoesNotContain("wrong", refused.ToString());
    }

    [Fact]
    public async Task Over_TLS_large_messages_travel_too()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartSecureRheaAsync();
        await SendsAsync(Secure(peer, peer.Certificates.CaFile), 1_500_000);
    }

    [Fact]
    public async Task Who_shows_the_certificate_that_is_wanted_is_let_in_and_others_are_not()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartSecureRheaAsync(wantsCertificate: true, "--mechanisms", "EXTERNAL");
        var options = Secure(peer, peer.Certificates.CaFile, X509Certificate2.CreateFromPemFile(peer.Certificates.ClientFile, peer.Certificates.ClientKeyFile));
        await SendsAsync(options);
        await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(Secure(peer, peer.Certificates.CaFile)));
    }

    [Fact]
    public async Task A_certificate_that_nobody_vouches_for_is_refused()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartSecureRheaAsync();
        var refused = await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(Secure(peer, peer.Certificates.StrangerCaFile)));
        Assert.Contains("certificate", refused.Message);
        Assert.Contains($"127.0.0.1:{peer.TlsPort}", refused.Message);
    }

    // The peer pings each 20 ms.
    [Theory]
    [InlineData("amqp")]
    [InlineData("AMQPWSB10")]
    public async Task Over_a_WebSocket_large_messages_travel_too(string subprotocol)
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync();
        await SendsAsync(OverWebSocket(peer, "/amqp", subprotocol), 1_500_000);
    }

    [Fact]
    public async Task A_WebSocket_that_is_not_there_says_so()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync();
        var missing = await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(OverWebSocket(peer, "/elsewhere", "amqp")));
        Assert.Contains("refused the WebSocket upgrade", missing.Message);
        var other = await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(OverWebSocket(peer, "/amqp", "mqtt")));
        Assert.Contains("subprotocol mqtt", other.Message);
    }

    private static async Task SendsAsync(AmqpConnectionOptions options, int size = 10)
    {
        var session = await Peers.OpenAsync(options);
        var body = new byte[size];
        Random.Shared.NextBytes(body);
        Assert.IsType<Accepted>(await (await session.SenderAsync("orders")).SendAsync(body));
        var inbox = await Inbox.OpenAsync(session, "orders", credit: 1);
        var delivery = await inbox.TakeAsync();
        Assert.Equal(body, Inbox.Body(delivery));
        await inbox.SettleAsync(delivery, Accepted.Instance);
        await session.Connection.CloseAsync(default);
    }

    private static AmqpConnectionOptions Secure(AmqpPeer peer, string caFile, X509Certificate2? shown = null)
    {
        var trust = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        trust.CustomTrustStore.ImportFromPemFile(caFile);
        return new AmqpConnectionOptions
        {
            Host = "127.0.0.1",
            Port = peer.TlsPort,
            Tls = new SslClientAuthenticationOptions
            {
                TargetHost = "localhost",
                CertificateChainPolicy = trust,
                ClientCertificates = shown is null ? null : [shown],
            },
            Sasl = [SaslMechanism.External, SaslMechanism.Anonymous],
        };
    }

    private static AmqpConnectionOptions OverWebSocket(AmqpPeer peer, string path, string subprotocol) => new()
    {
        Host = "127.0.0.1",
        Port = peer.WebSocketPort,
        WebSocket = new AmqpWebSocket { Path = path, Subprotocol = subprotocol },
        Sasl = [SaslMechanism.Anonymous],
    };
}
