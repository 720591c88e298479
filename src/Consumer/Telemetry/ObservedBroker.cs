using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>The broker as the host's own code sees it: what it sends is measured, and carries its trace. Receiving is observed by the engine.</summary>
internal sealed class ObservedBroker(IBroker broker, HoldfastMeter meter, RootSampling roots, TimeProvider time) : IBroker
{
    public string System => broker.System;

    public TimeProvider Time => broker.Time;

    public bool HasSessions => broker.HasSessions;

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => broker.OpenReceiverAsync(queue, cancel);

    public ValueTask<IReceiver> OpenReceiverAsync(string queue, bool inOrder, CancellationToken cancel) => broker.OpenReceiverAsync(queue, inOrder, cancel);

    // Not in the context of who asks: others may wait for the same sender, and he may hold up his own.
    public async ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
    {
        var sender = await broker.OpenSenderAsync(queue, cancel).AsTask().ConfigureAwait(ConfigureAwaitOptions.None);
        return new ObservedSender(sender, new SendTracer(System, queue, meter, roots), meter.Sends(System, queue), time);
    }

    public ValueTask DisposeAsync() => broker.DisposeAsync();
}
