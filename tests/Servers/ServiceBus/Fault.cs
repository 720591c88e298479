namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>
/// What is to go wrong at the broker. Operations are attach, send, settle, put-token and those of $management without their prefix, such as renew-lock.
/// Without an entity it is meant for all of them, and without a number of times for ever.
/// </summary>
public sealed record Fault(string Operation, FaultEffect Effect)
{
    public string? Entity { get; init; }

    public int? Times { get; init; }

    /// <summary>For how long a delay delays.</summary>
    public int? Milliseconds { get; init; }

    /// <summary>What a refusal says to links.</summary>
    public string? Condition { get; init; }

    /// <summary>What a refusal says to requests.</summary>
    public int? Status { get; init; }

    public string? Description { get; init; }
}
