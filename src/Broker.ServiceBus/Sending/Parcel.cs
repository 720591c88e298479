using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A message that waits to be sent, encoded. It completes on the thread pool: nobody knows what its sender does next.</summary>
internal sealed class Parcel(byte[] payload, string? session) : TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public byte[] Payload => payload;

    public string? Session => session;

    /// <summary>Whether it was called off before it left.</summary>
    public bool IsCalledOff => Task.IsCompleted;

    public static Parcel Of(AmqpMessage message)
    {
        using var writer = new AmqpWriter();
        message.Encode(writer);
        return new Parcel(writer.ToArray(), message.Properties?.GroupId);
    }
}
