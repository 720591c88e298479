namespace Holdfast.Consumer;

/// <summary>How failures of one type are treated. What is left unset is as for all others.</summary>
public sealed class RetryRule
{
    /// <inheritdoc cref="RetryOptions.Immediate"/>
    public int? Immediate { get; set; }

    /// <inheritdoc cref="RetryOptions.ImmediateDelay"/>
    public TimeSpan? ImmediateDelay { get; set; }

    /// <inheritdoc cref="RetryOptions.MaxDeliveries"/>
    public int? MaxDeliveries { get; set; }

    /// <inheritdoc cref="RetryOptions.Delay"/>
    public TimeSpan? Delay { get; set; }

    /// <inheritdoc cref="RetryOptions.MaxDelay"/>
    public TimeSpan? MaxDelay { get; set; }

    /// <summary>Set, the message is to blame: it is dead-lettered at its first failure, for this reason, and the circuit breaker does not count it.</summary>
    public string? DeadLetterReason { get; set; }
}
