namespace Holdfast.Broker;

/// <summary>The properties in which a dead letter tells why it is one, wherever the broker leaves that to us.</summary>
public static class DeadLetterProperties
{
    public const string Reason = "dead-letter-reason";
    public const string Description = "dead-letter-description";

    /// <summary>The queue that the message was put aside from.</summary>
    public const string Queue = "dead-letter-queue";

    /// <summary>When it was put aside.</summary>
    public const string PutAsideAt = "dead-letter-time";

    /// <summary>The type of the last exception, with its namespace.</summary>
    public const string Exception = "dead-letter-exception";

    /// <summary>What the last exception said.</summary>
    public const string ExceptionMessage = "dead-letter-exception-message";

    /// <summary>Where the last exception came from: the stack trace of its innermost cause, and then those of what wrapped that.</summary>
    public const string Stack = "dead-letter-stack";

    /// <summary>When it failed for the first time, and for the last: texts by ISO 8601, in UTC.</summary>
    public const string FirstFailure = "dead-letter-first-failure";

    public const string LastFailure = "dead-letter-last-failure";

    /// <summary>How often it was delivered in all.</summary>
    public const string Deliveries = "dead-letter-deliveries";

    /// <summary>The machine whose worker put it aside.</summary>
    public const string Worker = "dead-letter-worker";

    /// <summary>The id of the trace in which it was handled last, where that was recorded.</summary>
    public const string Trace = "dead-letter-trace";

    /// <summary>Its failed deliveries, the last ones: JSON. A message that waits for its next delivery carries it too.</summary>
    public const string Failures = "holdfast-failures";

    private const string Prefix = "dead-letter-";

    /// <summary>Whether it is one of them: a message that is sent again begins without.</summary>
    public static bool IsOne(string name) => name is Failures || name.StartsWith(Prefix, StringComparison.Ordinal);
}
