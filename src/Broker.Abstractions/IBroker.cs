namespace Holdfast.Broker;

/// <summary>A message broker: the place that owns every message until it is settled.</summary>
public interface IBroker : IAsyncDisposable
{
    /// <summary>What telemetry calls this kind of broker (OpenTelemetry's <c>messaging.system</c>).</summary>
    string System { get; }

    /// <summary>The clock that says when a delivery arrived. Leases are reckoned by it, so whoever keeps them has the same.</summary>
    TimeProvider Time => TimeProvider.System;

    /// <summary>Opens a queue for receiving. Throws <see cref="BrokerException"/> where it can't.</summary>
    ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel);

    /// <summary>Opens a queue for sending. Throws <see cref="BrokerException"/> where it can't.</summary>
    ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel);
}
