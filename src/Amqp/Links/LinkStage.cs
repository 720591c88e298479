namespace Holdfast.Amqp;

/// <summary>How far a link has come.</summary>
internal enum LinkStage
{
    /// <summary>The peer has not answered to our attach frame, or is about to refuse it.</summary>
    Attaching,
    Attached,

    /// <summary>The peer has not answered to our detach frame.</summary>
    Detaching,
    Ended,
}
