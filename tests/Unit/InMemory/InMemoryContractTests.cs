using Holdfast.Tests.Kit;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class InMemoryContractTests : BrokerContract
{
    protected override ValueTask<BrokerUnderTest> StartAsync() => ValueTask.FromResult<BrokerUnderTest>(new InMemoryUnderTest(connectionBound: false));
}

public sealed class InMemoryConnectionBoundContractTests : BrokerContract
{
    protected override ValueTask<BrokerUnderTest> StartAsync() => ValueTask.FromResult<BrokerUnderTest>(new InMemoryUnderTest(connectionBound: true));
}
