namespace Holdfast.Amqp;

/// <summary>How far a session has come.</summary>
internal enum SessionStage
{
    Beginning,
    Active,

    /// <summary>We have sent an end frame, and wait for the peer's.</summary>
    Ending,
    Ended,
}
