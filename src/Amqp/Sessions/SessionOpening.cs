namespace Holdfast.Amqp;

/// <summary>Waits for the peer to begin a session. Behind the gate.</summary>
internal sealed class SessionOpening(Gate gate, AmqpSession session) : Pending<AmqpSession>(gate)
{
    protected override void OnCalledOff() => session.Abandon();
}
