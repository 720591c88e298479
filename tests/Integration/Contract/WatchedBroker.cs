namespace Holdfast.Tests.Integration;

/// <summary>A broker whose receivers can be looked at.</summary>
internal sealed class WatchedBroker(IBroker broker) : IBroker
{
    private readonly List<IReceiver> _receivers = [];

    public IReadOnlyList<IReceiver> Receivers
    {
        get
        {
            lock (_receivers)
                return [.. _receivers];
        }
    }

    public string System => broker.System;

    public async ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel)
    {
        var receiver = await broker.OpenReceiverAsync(queue, cancel);
        lock (_receivers)
            _receivers.Add(receiver);
        return receiver;
    }

    public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => broker.OpenSenderAsync(queue, cancel);

    public ValueTask DisposeAsync() => broker.DisposeAsync();
}
