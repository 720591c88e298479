namespace Holdfast.Broker.ServiceBus;

/// <summary>Messages that are to arrive in their order: behind one that was not sent, or is not known to have been, none is. Its outbox's own.</summary>
internal sealed class Row
{
    public bool IsBroken { get; set; }
}
