using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A session that has nothing but its name.</summary>
internal sealed class InSession(string id) : Session
{
    public override string Id => id;

    public override ValueTask<ReadOnlyMemory<byte>?> GetStateAsync(CancellationToken cancel) => throw new NotSupportedException();

    public override ValueTask SetStateAsync(ReadOnlyMemory<byte>? state, CancellationToken cancel) => throw new NotSupportedException();
}
