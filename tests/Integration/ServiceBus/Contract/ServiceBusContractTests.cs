using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration.ServiceBus;

public sealed class ServiceBusContractTests : BrokerContract
{
    protected override async ValueTask<BrokerUnderTest> StartAsync()
    {
        var server = await PrivateNamespace.StartAsync();
        return new ServiceBusUnderTest(server, server.NewBroker());
    }
}
