using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>All that one worker's engine knows of the world: its links, one for each queue.</summary>
internal sealed class Links(IReadOnlyList<Link> links) : IBroker
{
    public string System => "in_memory";

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) =>
        links.First(link => link.Queue == queue).OpenReceiverAsync();

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => throw new NotSupportedException("No handler of a world sends.");

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
