using Holdfast.Amqp;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>RabbitMQ's own AMQP 1.0, which a plugin brings.</summary>
public sealed class RabbitTests(RabbitServer server) : Interoperation
{
    [Fact]
    public async Task A_settle_mode_that_the_peer_does_not_know_is_refused_with_its_reason()
    {
        var session = await OpenAsync();
        var queue = await NewQueueAsync();
        var refused = await Assert.ThrowsAsync<AmqpException>(() => Inbox.OpenAsync(session, queue));
        Assert.Equal(ErrorConditions.NotImplemented, refused.Condition);
        Assert.True(refused.IsFromPeer);
        await session.Connection.CloseAsync(default);
    }

    [Fact]
    public async Task A_wrong_password_is_refused_and_not_shown()
    {
        server.NodeIsNeeded();
        var refused = await Assert.ThrowsAsync<AmqpException>(() => Peers.OpenAsync(Peers.Options(server.Node.Port, null, SaslMechanism.Plain("tester", "not-the-password"))));
        Assert.Equal(ErrorConditions.UnauthorizedAccess, refused.Condition);
        Assert.DoesNotContain("not-the-password", refused.ToString());
    }

    // A quorum queue of RabbitMQ 3.10 counts the credit that it gave back against all that it is given later; it does so to other clients, too.
    private protected override uint CreditAfterDrain => 10;

    private protected override ReceiverSettleMode Mode => ReceiverSettleMode.First;

    private protected override Task<AmqpSession> OpenAsync(TimeSpan? idleTimeout = null)
    {
        server.NodeIsNeeded();
        var uri = new Uri(server.Node.UriOf());
        var login = uri.UserInfo.Split(':');
        return Peers.OpenAsync(Peers.Options(server.Node.Port, idleTimeout, SaslMechanism.Plain(login[0], login[1])));
    }

    // A classic queue of RabbitMQ 3.10 breaks its channel when its credit is drained; a quorum queue does not.
    private protected override async Task<string> NewQueueAsync()
    {
        server.NodeIsNeeded();
        var name = $"amqp-{Guid.NewGuid():N}";
        await using var connection = await new ConnectionFactory { Uri = new Uri(server.Node.UriOf()) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, new Dictionary<string, object?> { ["x-queue-type"] = "quorum" });
        return $"/amq/queue/{name}";
    }
}
