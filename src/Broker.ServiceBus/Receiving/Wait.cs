namespace Holdfast.Broker.ServiceBus;

/// <summary>One receive that waits for messages. It completes wherever they arrive: who waits keeps what it does then short.</summary>
internal sealed class Wait(Memory<Delivery> room) : TaskCompletionSource<int>
{
    public Memory<Delivery> Room { get; } = room;

    /// <summary>For how many messages the broker is asked on its behalf: for as many as it has room for, until it is about to leave.</summary>
    public int Asks { get; set; } = room.Length;

    /// <summary>How many messages it was given. Set once it is no longer among those that wait, and before it completes.</summary>
    public int Given { get; set; }
}
