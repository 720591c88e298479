namespace Holdfast.Broker.ServiceBus;

/// <summary>One receive that waits for messages. It completes wherever they arrive: who waits keeps what it does then short.</summary>
internal sealed class Wait(Memory<Delivery> room) : TaskCompletionSource<int>
{
    public Memory<Delivery> Room => room;

    /// <summary>How many messages it was given. Set once it is no longer among those that wait, and before it completes.</summary>
    public int Given { get; set; }
}
