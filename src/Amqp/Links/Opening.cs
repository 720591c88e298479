namespace Holdfast.Amqp;

/// <summary>Waits for the peer to attach a link. Behind the gate.</summary>
internal sealed class Opening<TLink>(Gate gate, TLink link) : Pending<TLink>(gate)
    where TLink : AmqpLink
{
    protected override void OnCalledOff() => link.Abandon();
}
