using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A broker of which no queue can ever be opened.</summary>
internal sealed class ClosedBroker : IBroker
{
    public string System => "closed";

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) =>
        throw new BrokerException("There is no such queue.", isTransient: false);

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask DisposeAsync() => default;
}
