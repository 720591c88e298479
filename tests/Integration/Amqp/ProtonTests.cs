using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>A peer that all tests of a class share.</summary>
public sealed class SharedProton : IAsyncLifetime
{
    private AmqpPeer? _peer;

    public AmqpPeer Peer
    {
        get
        {
            RabbitServer.Need(AmqpPeer.WhyNoProton);
            return _peer!;
        }
    }

    public async ValueTask InitializeAsync() => _peer = AmqpPeer.WhyNoProton is null ? await AmqpPeer.StartProtonAsync() : null;

    public async ValueTask DisposeAsync()
    {
        if (_peer is not null)
            await _peer.DisposeAsync();
    }
}

public sealed class ProtonTests(SharedProton proton) : Interoperation, IClassFixture<SharedProton>
{
    private protected override Task<AmqpSession> OpenAsync(TimeSpan? idleTimeout = null) => Peers.OpenAsync(Peers.Options(proton.Peer.Port, idleTimeout));
}
