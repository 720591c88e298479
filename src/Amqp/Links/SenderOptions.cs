namespace Holdfast.Amqp;

/// <summary>A link on which we send.</summary>
public sealed class SenderOptions
{
    /// <summary>No two links of one container to the same peer and in the same direction may share a name.</summary>
    public string Name { get; init; } = $"{Guid.NewGuid():N}";

    public required LinkTarget Target { get; init; }

    public Source? Source { get; init; }

    public SenderSettleMode SettleMode { get; init; } = SenderSettleMode.Mixed;

    public ReceiverSettleMode ReceiverSettleMode { get; init; } = ReceiverSettleMode.First;

    public AmqpFields? Properties { get; init; }

    public Symbol[]? DesiredCapabilities { get; init; }

    /// <summary>Called once, unless we closed the link ourselves. On the connection's reader thread, or where a message is called off on its way.</summary>
    public Action<AmqpException>? OnClosed { get; init; }
}
