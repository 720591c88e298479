using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A message that waits to be sent, encoded. It completes on the thread pool: nobody knows what its sender does next.</summary>
internal sealed class Parcel(byte[] payload, object? id, string? session, string? partitionKey, Row? row = null) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public byte[] Payload => payload;

    public object? Id => id;

    public string? Session => session;

    public string? PartitionKey => partitionKey;

    /// <summary>What it has its place in; null where it may arrive before others, and they before it.</summary>
    public Row? Row => row;

    /// <summary>Whether it was called off before it left.</summary>
    public bool IsCalledOff => Task.IsCompleted;

    /// <summary>Whether the broker may have it: all of it has left, and was not refused.</summary>
    public bool MayHaveArrived { get; set; }

    /// <summary>Whether the broker keeps both in the same part of its entity.</summary>
    public bool GoesWith(Parcel other) => session == other.Session && partitionKey == other.PartitionKey;

    /// <summary>Whether it must not leave, for one before it in its row has not arrived; it is told so.</summary>
    public bool IsHeldBack()
    {
        if (row is not { IsBroken: true })
            return false;
        TrySetException(new BrokerException("One of the same key before it was not sent.", isTransient: true) { IsUnsent = true });
        return true;
    }

    public static Parcel Of(AmqpMessage message, Row? row)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return new Parcel(writer.ToArray(), message.Properties?.MessageId, message.Properties?.GroupId, Annotations.PartitionKeyOf(message), row);
    }
}
