namespace Holdfast.Amqp;

/// <summary>Waits for a connection to be open. Behind the gate.</summary>
internal sealed class ConnectionOpening(Gate gate, AmqpConnection connection) : Pending<AmqpConnection>(gate)
{
    protected override void OnCalledOff() => connection.OnCalledOff();
}
