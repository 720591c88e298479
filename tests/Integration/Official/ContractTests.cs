using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Integration.Official;

public sealed class ServiceBusSdkContractTests : BrokerContract
{
    protected override async ValueTask<BrokerUnderTest> StartAsync()
    {
        var server = await PrivateNamespace.StartAsync();
        return new ServiceBusUnderTest(server, server.NewSdkBroker());
    }
}

public sealed class EmulatorContractTests : BrokerContract, IClassFixture<Emulator>
{
    private readonly Emulator _emulator;

    public EmulatorContractTests(Emulator emulator)
    {
        emulator.IsNeeded();
        _emulator = emulator;
    }

    protected override ValueTask<BrokerUnderTest> StartAsync() => ValueTask.FromResult<BrokerUnderTest>(new EmulatorUnderTest(_emulator));
}
