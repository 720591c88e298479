namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>What goes wrong with an operation.</summary>
public enum FaultEffect
{
    /// <summary>It is done, but later.</summary>
    Delay,

    /// <summary>It is refused.</summary>
    Fail,

    /// <summary>It is refused, because the broker is throttled.</summary>
    ServerBusy,

    /// <summary>It is neither done nor answered.</summary>
    Silent,

    /// <summary>It is done, but not answered.</summary>
    LostReply,

    /// <summary>It is answered with what nobody can understand.</summary>
    Nonsense,

    /// <summary>The connection breaks instead.</summary>
    Cut,
}
