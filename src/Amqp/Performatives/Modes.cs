namespace Holdfast.Amqp;

/// <summary>Which end of a link a peer is.</summary>
public enum Role
{
    Sender,
    Receiver,
}

/// <summary>Whether the sender of a link settles its deliveries as it sends them.</summary>
public enum SenderSettleMode : byte
{
    Unsettled,
    Settled,
    Mixed,
}

/// <summary>Whether the receiver of a link settles first, or only once the sender has.</summary>
public enum ReceiverSettleMode : byte
{
    First,
    Second,
}

/// <summary>How a SASL exchange ended.</summary>
internal enum SaslCode : byte
{
    Ok,
    NotAuthenticated,
    SystemError,
    PermanentSystemError,
    TemporarySystemError,
}
