namespace Holdfast.Broker;

/// <summary>A session that is ours: the messages that share its name come one at a time, in order, and to nobody else. Its state is kept by the broker.</summary>
public abstract class Session
{
    public abstract string Id { get; }

    /// <summary>What was last set, by us or by an earlier holder; null where nothing was.</summary>
    /// <exception cref="BrokerException">The broker failed, or the session is no longer ours.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>?> GetStateAsync(CancellationToken cancel);

    /// <summary>Keeps a state for whoever holds the session; null forgets it.</summary>
    /// <exception cref="BrokerException">The broker failed, or the session is no longer ours.</exception>
    public abstract ValueTask SetStateAsync(ReadOnlyMemory<byte>? state, CancellationToken cancel);
}
