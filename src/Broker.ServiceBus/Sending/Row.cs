namespace Holdfast.Broker.ServiceBus;

/// <summary>Messages that are to arrive in their order: behind one that was not sent, or is not known to have been, none is. The loop of its outbox alone looks.</summary>
internal sealed class Row
{
    public bool IsBroken { get; set; }
}
