using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration.ServiceBus;

public sealed class ServiceBusContractTests : BrokerContract
{
    protected override async ValueTask<BrokerUnderTest> StartAsync() => new ServiceBusUnderTest(await PrivateNamespace.StartAsync());
}
