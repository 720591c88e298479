namespace Holdfast.Consumer;

/// <summary>Why no message is taken, where the reason is not that the machine carries no more.</summary>
internal enum HoldReason
{
    /// <summary>Leases are renewed late or not at all.</summary>
    Leases,

    /// <summary>The .NET thread pool, which the broker's client needs, answers late.</summary>
    Pool,

    /// <summary>As many bytes as may be are in flight.</summary>
    Bytes,

    /// <summary>Too many handlers have failed.</summary>
    Breaker,

    /// <summary>As many messages have begun as may in this time.</summary>
    Rate,

    /// <summary>So many handlers block that threads are scarce.</summary>
    Threads,

    /// <summary>All slots are taken, most of them by messages that wait for others of their key.</summary>
    Order,
}
