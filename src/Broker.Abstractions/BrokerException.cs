namespace Holdfast.Broker;

/// <summary>A broker's failure. Its message is one line for the person on call, and never holds a secret.</summary>
public sealed class BrokerException : Exception
{
    public BrokerException(string message, bool isTransient, Exception? cause = null)
        : base(message, cause) => IsTransient = isTransient;

    /// <summary>Whether time may heal it: then it is worth trying again.</summary>
    public bool IsTransient { get; }

    /// <summary>For how long the broker is to be left in peace, where it asks for that because it is too busy, or must rest; else null.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Of a message that was to be sent: whether it is certain that the broker does not have it. Else, where time may heal it, nobody knows.</summary>
    public bool IsUnsent { get; init; }

    /// <summary>The same of something that has worked before: it may work again, for somebody may be mending it just now.</summary>
    public BrokerException ForNow() => IsTransient ? this : Again(isTransient: true, IsUnsent);

    /// <summary>The same, told to one more: what is thrown twice would lose where it was thrown first.</summary>
    internal BrokerException Again() => Again(IsTransient, IsUnsent);

    /// <summary>The same of a message that has surely not been taken.</summary>
    internal BrokerException Unsent() => Again(IsTransient, isUnsent: true);

    private BrokerException Again(bool isTransient, bool isUnsent) => new(Message, isTransient, this) { RetryAfter = RetryAfter, IsUnsent = isUnsent };
}
