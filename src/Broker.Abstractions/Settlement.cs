namespace Holdfast.Broker;

/// <summary>How a held message ends.</summary>
public readonly record struct Settlement
{
    private static readonly Terms s_noTerms = new();
    private static readonly Terms s_unbegun = new() { IsUnbegun = true };

    // What most settlements have nothing to say of: each step of a journey keeps a copy of this struct.
    private readonly Terms? _terms;

    private Settlement(SettlementKind kind) => (Kind, IsSaid) = (kind, true);

    /// <summary>Handled: the broker forgets the message.</summary>
    public static Settlement Complete => new(SettlementKind.Complete);

    /// <summary>Given back: the broker delivers it again at once.</summary>
    public static Settlement Abandon => new(SettlementKind.Abandon);

    /// <summary>The same of a message that no handler has begun with: a broker that can does not count it as a delivery.</summary>
    internal static Settlement Return => new(SettlementKind.Abandon) { Told = s_unbegun };

    public SettlementKind Kind { get; }

    /// <summary>False for <c>default</c>, which says nothing of the message: a handler that returns it has failed.</summary>
    public bool IsSaid { get; }

    /// <summary>For <see cref="SettlementKind.Delay"/>: how long the broker keeps the message back.</summary>
    public TimeSpan Wait => Told.Wait;

    /// <summary>
    /// For <see cref="SettlementKind.Delay"/>: whether its length is that of the queue's retries, and not one that was asked for. A broker that was told
    /// how retries are kept back may go by that.
    /// </summary>
    public bool IsRetry => Told.IsRetry;

    /// <summary>For <see cref="SettlementKind.Abandon"/>: whether no handler has begun with the message.</summary>
    internal bool IsUnbegun => Told.IsUnbegun;

    /// <summary>For <see cref="SettlementKind.DeadLetter"/>: why, in a word that telemetry can group by.</summary>
    public string? Reason => Told.Reason;

    /// <summary>For <see cref="SettlementKind.DeadLetter"/>: why, for the person who will look at it.</summary>
    public string? Description => Told.Description;

    /// <summary>
    /// For <see cref="SettlementKind.Delay"/> and <see cref="SettlementKind.DeadLetter"/>: properties that the message is to have from there on,
    /// where the broker can write them. Texts, numbers and times.
    /// </summary>
    public IReadOnlyDictionary<string, object?> Properties => Told.Properties;

    private Terms Told
    {
        get => _terms ?? s_noTerms;
        init => _terms = value;
    }

    /// <summary>Given back, to be delivered again once <paramref name="wait"/> has passed. Nobody holds a lease on it meanwhile.</summary>
    public static Settlement Delay(TimeSpan wait) => new(SettlementKind.Delay) { Told = new Terms { Wait = wait } };

    /// <summary>The same, for a message that failed, as long as the queue's retries are kept back.</summary>
    internal static Settlement Retry(TimeSpan wait) => new(SettlementKind.Delay) { Told = new Terms { Wait = wait, IsRetry = true } };

    /// <summary>Put aside, where a person can look at it and send it again.</summary>
    public static Settlement DeadLetter(string reason, string description) =>
        new(SettlementKind.DeadLetter) { Told = new Terms { Reason = reason, Description = description } };

    /// <summary>The same, with properties that the message is to have from there on.</summary>
    public Settlement With(IReadOnlyDictionary<string, object?> properties)
    {
        ArgumentNullException.ThrowIfNull(properties);
        return this with { Told = Told with { Properties = properties } };
    }

    /// <summary>What else is said of how it ends.</summary>
    private sealed record Terms
    {
        private static readonly Dictionary<string, object?> s_none = [];

        public TimeSpan Wait { get; init; }

        public bool IsRetry { get; init; }

        public bool IsUnbegun { get; init; }

        public string? Reason { get; init; }

        public string? Description { get; init; }

        public IReadOnlyDictionary<string, object?> Properties { get; init; } = s_none;
    }
}
