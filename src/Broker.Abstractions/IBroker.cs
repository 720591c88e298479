namespace Holdfast.Broker;

/// <summary>A message broker: the place that owns every message until it is settled.</summary>
public interface IBroker : IAsyncDisposable
{
    /// <summary>What telemetry calls this kind of broker (OpenTelemetry's <c>messaging.system</c>).</summary>
    string System { get; }

    /// <summary>The clock that says when a delivery arrived. Leases are reckoned by it, so whoever keeps them has the same.</summary>
    TimeProvider Time => TimeProvider.System;

    /// <summary>Whether messages can have sessions here. Where they can't, a queue that is to be ordered by them is refused.</summary>
    bool HasSessions => true;

    /// <summary>Opens a queue for receiving. Throws <see cref="BrokerException"/> where it can't.</summary>
    ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel);

    /// <summary>
    /// The same, and with <paramref name="inOrder"/> for one who handles messages in the order in which they come: what has arrived and was not taken yet
    /// is then given back no sooner than it must be, though others could begin with it, for it may come again behind those that it was before.
    /// A broker that gives nothing back by itself need not know.
    /// </summary>
    ValueTask<IReceiver> OpenReceiverAsync(string queue, bool inOrder, CancellationToken cancel) => OpenReceiverAsync(queue, cancel);

    /// <summary>Opens a queue for sending. Throws <see cref="BrokerException"/> where it can't.</summary>
    ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel);
}
