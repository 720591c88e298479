namespace Holdfast.Broker.ServiceBus;

/// <summary>A session that is ours.</summary>
internal sealed class HeldSession : Session
{
    public override string Id => throw new NotImplementedException();
    public long LockedAt => 0;
    public TimeSpan LockDuration => default;
    public override ValueTask<ReadOnlyMemory<byte>?> GetStateAsync(CancellationToken cancel) => throw new NotImplementedException();
    public override ValueTask SetStateAsync(ReadOnlyMemory<byte>? state, CancellationToken cancel) => throw new NotImplementedException();
}
