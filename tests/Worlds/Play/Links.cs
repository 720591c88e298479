using Holdfast.Broker;

namespace Holdfast.Tests.Worlds;

/// <summary>All that one worker's engine knows of the world: its links, one for each queue.</summary>
internal sealed class Links(IReadOnlyList<Link> links) : IBroker
{
    /// <summary>Where handlers publish to. Nobody consumes it.</summary>
    public const string Notices = "notices";

    public string System => "in_memory";

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) =>
        links.First(link => link.Queue == queue).OpenReceiverAsync();

    // On the way of the first queue.
    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => ValueTask.FromResult(links[0].OpenSender());

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
