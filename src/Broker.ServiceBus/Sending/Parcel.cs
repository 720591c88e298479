using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A message that waits to be sent, encoded. It completes on the thread pool: nobody knows what its sender does next.</summary>
internal sealed class Parcel(byte[] payload, object? id, string? session, string? partitionKey) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public byte[] Payload => payload;

    public object? Id => id;

    public string? Session => session;

    public string? PartitionKey => partitionKey;

    /// <summary>Whether it was called off before it left.</summary>
    public bool IsCalledOff => Task.IsCompleted;

    /// <summary>Whether the broker keeps both in the same part of its entity.</summary>
    public bool GoesWith(Parcel other) => session == other.Session && partitionKey == other.PartitionKey;

    public static Parcel Of(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return new Parcel(writer.ToArray(), message.Properties?.MessageId, message.Properties?.GroupId, Annotations.PartitionKeyOf(message));
    }
}
