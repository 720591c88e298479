namespace Holdfast.Broker.ServiceBus;

/// <summary>When any node of a connection has answered last: it is no fault of the connection's that another one does not. Any thread.</summary>
internal sealed class LastAnswer(TimeProvider time)
{
    private long _at = long.MinValue;

    public void Note() => Volatile.Write(ref _at, time.GetTimestamp());

    public bool IsSince(long timestamp) => Volatile.Read(ref _at) >= timestamp;
}
