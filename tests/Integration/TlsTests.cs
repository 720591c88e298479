using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>amqps, against an authority that only these tests know.</summary>
public sealed class TlsTests : IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public TlsTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    private RabbitNode Node => _vhost.Server.Node;

    [Fact]
    public async Task With_the_authority_that_signed_the_servers_certificate_messages_go_through()
    {
        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = Node.TlsUriOf(_vhost.Name), Declare = true, CaFile = Node.Certificates.CaFile });

        await GoesThroughAsync(broker);
    }

    [Fact]
    public async Task A_client_shows_its_certificate()
    {
        await using var broker = new RabbitMqBroker(new RabbitMqBrokerOptions
        {
            Uri = Node.TlsUriOf(_vhost.Name),
            Declare = true,
            CaFile = Node.Certificates.CaFile,
            ClientCertificateFile = Node.Certificates.ClientFile,
            ClientKeyFile = Node.Certificates.ClientKeyFile,
        });

        await GoesThroughAsync(broker);

        await Eventually.HoldsAsync("the server to name the client's certificate", async () =>
            (await Node.Management.ConnectionsAsync(_vhost.Name)).Any(connection => connection.PeerCertSubject?.Contains(Certificates.ClientName) == true));
    }

    [Fact]
    public async Task An_authority_that_has_not_signed_it_is_told_with_the_setting_that_names_another()
    {
        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = Node.TlsUriOf(_vhost.Name), Declare = true, CaFile = Node.Certificates.StrangerCaFile });

        Tells(problem, "CaFile", $"127.0.0.1:{Node.TlsPort}");
    }

    [Fact]
    public async Task The_machines_own_authorities_are_not_enough_for_it()
    {
        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = Node.TlsUriOf(_vhost.Name), Declare = true });

        Tells(problem, "CaFile", $"127.0.0.1:{Node.TlsPort}");
    }

    [Fact]
    public async Task A_name_that_the_certificate_does_not_have_is_not_trusted()
    {
        var uri = Node.TlsUriOf(_vhost.Name).Replace("127.0.0.1", "127.0.0.1.nip.invalid", StringComparison.Ordinal);
        var problem = await RefusedAsync(new RabbitMqBrokerOptions { Uri = uri, Declare = true, CaFile = Node.Certificates.CaFile });

        Tells(problem, "127.0.0.1.nip.invalid");
    }

    private static void Tells(BrokerException problem, params string[] names)
    {
        Assert.All(names, name => Assert.Contains(name, problem.Message));
        Assert.DoesNotContain("\n", problem.Message);
    }

    private static async Task<BrokerException> RefusedAsync(RabbitMqBrokerOptions options)
    {
        await using var broker = new RabbitMqBroker(options);
        return await Assert.ThrowsAsync<BrokerException>(() => broker.OpenReceiverAsync("orders", default).AsTask());
    }

    private async Task GoesThroughAsync(RabbitMqBroker broker)
    {
        var queue = _vhost.NewQueue();
        await broker.SendAsync(queue, "a");
        await using var receiver = await broker.OpenReceiverAsync(queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }
}
