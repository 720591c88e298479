namespace Holdfast.Amqp;

/// <summary>How far a connection has come.</summary>
internal enum ConnectionStage
{
    Opening,
    Open,

    /// <summary>We have sent a close frame, and wait for the peer's.</summary>
    Closing,

    /// <summary>Nothing more is read.</summary>
    Over,

    /// <summary>Its threads are through.</summary>
    Ended,
}
