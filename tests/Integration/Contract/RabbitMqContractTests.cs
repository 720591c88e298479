using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration;

public sealed class QuorumQueueContractTests : BrokerContract, IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public QuorumQueueContractTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    protected override ValueTask<BrokerUnderTest> StartAsync() => ValueTask.FromResult<BrokerUnderTest>(new RabbitMqUnderTest(_vhost, QueueType.Quorum));
}

public sealed class ClassicQueueContractTests : BrokerContract, IClassFixture<VirtualHost>
{
    private readonly VirtualHost _vhost;

    public ClassicQueueContractTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    protected override ValueTask<BrokerUnderTest> StartAsync() => ValueTask.FromResult<BrokerUnderTest>(new RabbitMqUnderTest(_vhost, QueueType.Classic));
}
