namespace Holdfast.Amqp;

/// <summary>A link on which we receive.</summary>
public sealed class ReceiverOptions
{
    /// <summary>No two links of one container to the same peer and in the same direction may share a name.</summary>
    public string Name { get; init; } = $"{Guid.NewGuid():N}";

    public required Source Source { get; init; }

    public Target? Target { get; init; }

    /// <summary>Takes each whole message, in order, on the connection's reader thread: nothing else is received until it returns. What it throws ends the connection.</summary>
    public required Action<AmqpDelivery> OnDelivery { get; init; }

    /// <summary>Called on the reader thread after the last of the messages that came together, by one read of the socket.</summary>
    public Action? OnBurst { get; init; }

    public SenderSettleMode SenderSettleMode { get; init; } = SenderSettleMode.Mixed;

    public ReceiverSettleMode SettleMode { get; init; } = ReceiverSettleMode.First;

    /// <summary>How many messages the peer may send at first.</summary>
    public uint Credit { get; init; }

    /// <summary>Whether the peer is given the same credit again each time half of it is used.</summary>
    public bool RenewsCredit { get; init; }

    /// <summary>The largest message that is taken, in bytes. A larger one ends the link.</summary>
    public int MaxMessageSize { get; init; } = 128 * 1024 * 1024;

    public AmqpFields? Properties { get; init; }

    public Symbol[]? DesiredCapabilities { get; init; }

    /// <summary>Called once, unless we closed the link ourselves. On the connection's reader thread.</summary>
    public Action<AmqpException>? OnClosed { get; init; }
}
