using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Where what is sent to a queue leaves from. What a queue that hangs does not confirm stays on its way, though nobody waits for it any more,
/// and takes up the room of that mailbox and of no other. Any thread.
/// </summary>
internal sealed class Mailbox(TimeProvider time)
{
    private readonly Lock _gate = new();
    private Mailbag? _bag;

    /// <summary>Whether nothing is on its way by it, or waits for room.</summary>
    public bool IsIdle
    {
        get
        {
            lock (_gate)
                return _bag?.IsEmpty != false;
        }
    }

    /// <summary>When it was last asked for, as its owner counts.</summary>
    public long LastUse { get; set; }

    /// <summary>What is sent by this connection.</summary>
    public Mailbag BagOn(IConnection connection)
    {
        lock (_gate)
        {
            if (_bag?.IsOpenOn(connection) == true)
                return _bag;

            // Who asked for the connection before it ended, and for this only now, is told how it ended: no other bag gives way for that.
            if (!connection.IsOpen)
                return new Mailbag(connection, time);

            _bag?.Retire();
            return _bag = new Mailbag(connection, time);
        }
    }
}
