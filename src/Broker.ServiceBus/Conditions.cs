namespace Holdfast.Broker.ServiceBus;

/// <summary>The names by which the broker says what went wrong.</summary>
internal static class Conditions
{
    public const string NotFound = "amqp:not-found";
    public const string Unauthorized = "amqp:unauthorized-access";
    public const string NotAllowed = "amqp:not-allowed";
    public const string NotImplemented = "amqp:not-implemented";
    public const string ResourceLimit = "amqp:resource-limit-exceeded";
    public const string MessageTooLarge = "amqp:link:message-size-exceeded";
    public const string DetachForced = "amqp:link:detach-forced";
    public const string AuthFailed = "com.microsoft:auth-failed";
    public const string MessageLockLost = "com.microsoft:message-lock-lost";
    public const string SessionLockLost = "com.microsoft:session-lock-lost";
    public const string SessionCannotBeLocked = "com.microsoft:session-cannot-be-locked";
    public const string MessageNotFound = "com.microsoft:message-not-found";
    public const string ServerBusy = "com.microsoft:server-busy";
    public const string Timeout = "com.microsoft:timeout";
    public const string EntityDisabled = "com.microsoft:entity-disabled";
    public const string DeadLetter = "com.microsoft:dead-letter";

    /// <summary>Whether it is said of the entity, or of us, and any other message would be refused as well.</summary>
    public static bool IsOfEntity(string? condition) =>
        condition is ServerBusy or ResourceLimit or Timeout or EntityDisabled or Unauthorized or AuthFailed or NotFound or NotImplemented;

    /// <summary>Whether it says that a lock is no longer ours.</summary>
    public static bool IsLost(string? condition) => condition is MessageLockLost or SessionLockLost;
}
