namespace Holdfast.Broker;

/// <summary>How a held message ends.</summary>
public readonly record struct Settlement
{
    private static readonly Dictionary<string, object?> s_none = [];

    private readonly IReadOnlyDictionary<string, object?>? _properties;

    private Settlement(SettlementKind kind) => (Kind, IsSaid) = (kind, true);

    /// <summary>Handled: the broker forgets the message.</summary>
    public static Settlement Complete => new(SettlementKind.Complete);

    /// <summary>Given back: the broker delivers it again at once.</summary>
    public static Settlement Abandon => new(SettlementKind.Abandon);

    public SettlementKind Kind { get; }

    /// <summary>False for <c>default</c>, which says nothing of the message: a handler that returns it has failed.</summary>
    public bool IsSaid { get; }

    /// <summary>For <see cref="SettlementKind.Delay"/>: how long the broker keeps the message back.</summary>
    public TimeSpan Wait { get; private init; }

    /// <summary>
    /// For <see cref="SettlementKind.Delay"/>: whether its length is that of the queue's retries, and not one that was asked for. A broker that was told
    /// how retries are kept back may go by that.
    /// </summary>
    public bool IsRetry { get; private init; }

    /// <summary>For <see cref="SettlementKind.DeadLetter"/>: why, in a word that telemetry can group by.</summary>
    public string? Reason { get; private init; }

    /// <summary>For <see cref="SettlementKind.DeadLetter"/>: why, for the person who will look at it.</summary>
    public string? Description { get; private init; }

    /// <summary>
    /// For <see cref="SettlementKind.Delay"/> and <see cref="SettlementKind.DeadLetter"/>: properties that the message is to have from there on,
    /// where the broker can write them. Texts, numbers and times.
    /// </summary>
    public IReadOnlyDictionary<string, object?> Properties
    {
        get => _properties ?? s_none;
        private init => _properties = value;
    }

    /// <summary>Given back, to be delivered again once <paramref name="wait"/> has passed. Nobody holds a lease on it meanwhile.</summary>
    public static Settlement Delay(TimeSpan wait) => new(SettlementKind.Delay) { Wait = wait };

    /// <summary>The same, for a message that failed, as long as the queue's retries are kept back.</summary>
    internal static Settlement Retry(TimeSpan wait) => Delay(wait) with { IsRetry = true };

    /// <summary>Put aside, where a person can look at it and send it again.</summary>
    public static Settlement DeadLetter(string reason, string description) =>
        new(SettlementKind.DeadLetter) { Reason = reason, Description = description };

    /// <summary>The same, with properties that the message is to have from there on.</summary>
    public Settlement With(IReadOnlyDictionary<string, object?> properties) => this with { Properties = properties };
}
