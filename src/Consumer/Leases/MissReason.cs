namespace Holdfast.Consumer;

/// <summary>Why a lease was lost while we still wanted it.</summary>
internal enum MissReason
{
    /// <summary>Trust ran out before a renewal came back.</summary>
    Expired,

    /// <summary>The broker said that it had given the message up.</summary>
    Rejected,

    /// <summary>The broker could not be reached for too long, or the connection that carried the lease is gone.</summary>
    Connection,

    /// <summary>The message was held for as long as the broker allows in all.</summary>
    Deadline,

    /// <summary>The worker stopped before the handler was done.</summary>
    Drain,
}
