namespace Holdfast.Amqp;

/// <summary>The specification's names for what goes wrong.</summary>
public static class ErrorConditions
{
    public static readonly Symbol InternalError = "amqp:internal-error";
    public static readonly Symbol NotFound = "amqp:not-found";
    public static readonly Symbol UnauthorizedAccess = "amqp:unauthorized-access";
    public static readonly Symbol DecodeError = "amqp:decode-error";
    public static readonly Symbol ResourceLimitExceeded = "amqp:resource-limit-exceeded";
    public static readonly Symbol NotAllowed = "amqp:not-allowed";
    public static readonly Symbol InvalidField = "amqp:invalid-field";
    public static readonly Symbol NotImplemented = "amqp:not-implemented";
    public static readonly Symbol IllegalState = "amqp:illegal-state";
    public static readonly Symbol ConnectionForced = "amqp:connection:forced";
    public static readonly Symbol FrameSizeTooSmall = "amqp:frame-size-too-small";
    public static readonly Symbol FramingError = "amqp:connection:framing-error";
    public static readonly Symbol WindowViolation = "amqp:session:window-violation";
    public static readonly Symbol HandleInUse = "amqp:session:handle-in-use";
    public static readonly Symbol UnattachedHandle = "amqp:session:unattached-handle";
    public static readonly Symbol DetachForced = "amqp:link:detach-forced";
    public static readonly Symbol TransferLimitExceeded = "amqp:link:transfer-limit-exceeded";
    public static readonly Symbol MessageSizeExceeded = "amqp:link:message-size-exceeded";
}
