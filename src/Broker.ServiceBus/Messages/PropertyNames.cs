namespace Holdfast.Broker.ServiceBus;

/// <summary>The names of what is said about a message, by the broker and by us.</summary>
internal static class PropertyNames
{
    /// <summary>In a dead letter's properties: why it is one.</summary>
    public const string Reason = "DeadLetterReason";

    public const string Description = "DeadLetterErrorDescription";

    /// <summary>How often the message had been delivered when we sent it on: there the broker begins to count anew.</summary>
    public const string EarlierDeliveries = "holdfast-deliveries";

    /// <summary>The sender's name for a message that we sent on. The copy has a name of its own, or a queue that drops duplicates would drop it.</summary>
    public const string Id = "holdfast-id";

    /// <summary>When the message was first enqueued, where we sent it on.</summary>
    public const string FirstEnqueuedAt = "holdfast-enqueued";

    /// <summary>A message's urgency, for which the broker has no place.</summary>
    public const string Priority = "holdfast-priority";

    /// <summary>The trace that the message was sent in, and the name under which Azure's older clients look for it.</summary>
    public const string TraceParent = "traceparent";

    public const string DiagnosticId = "Diagnostic-Id";

    /// <summary>Whether it tells of a death: a message that is sent again begins without.</summary>
    public static bool IsOfDeath(string name) => name is Reason or Description || DeadLetterProperties.IsOne(name);

    /// <summary>Whether a handler has nothing to do with it.</summary>
    public static bool IsInternal(string name) => name is EarlierDeliveries or Id or FirstEnqueuedAt or Priority;
}
