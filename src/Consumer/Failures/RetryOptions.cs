namespace Holdfast.Consumer;

/// <summary>What becomes of a message whose handler throws.</summary>
public sealed class RetryOptions
{
    /// <summary>Why a message is put aside that nobody can read.</summary>
    internal const string Unreadable = "unreadable";

    private readonly Dictionary<Type, RetryRule> _rules = new() { [typeof(UnreadableMessageException)] = new() { DeadLetterReason = Unreadable } };

    /// <summary>How often a delivery is tried again at once, while its lease and the other messages' need of slots allow.</summary>
    public int Immediate { get; set; } = 2;

    /// <summary>How long the first immediate retry waits; each next one twice as long, with jitter.</summary>
    public TimeSpan ImmediateDelay { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long one attempt may take: then its token is cancelled, and it has failed with a <see cref="TimeoutException"/>. Null sets no limit.</summary>
    public TimeSpan? AttemptTimeout { get; set; }

    /// <summary>From this delivery on a failed message is dead-lettered.</summary>
    public int MaxDeliveries { get; set; } = 10;

    /// <summary>How long the broker keeps a failed message back after its first delivery, holding no lease; after each next one twice as long.</summary>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest that a failed message is kept back.</summary>
    public TimeSpan MaxDelay { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>How a failure is treated that no rule is about.</summary>
    internal RetryTerms Terms => TermsOf(new());

    internal IReadOnlyDictionary<Type, RetryRule> Rules => _rules;

    /// <summary>The most immediate retries that any failure may have.</summary>
    internal int MostImmediate => All().Max(terms => terms.Immediate);

    /// <summary>The most deliveries that any failure may have.</summary>
    internal int MostDeliveries => All().Max(terms => terms.MaxDeliveries);

    /// <summary>Treats failures of one type otherwise, and those of the types that derive from it and have no rule of their own.</summary>
    public RetryOptions On<TException>(Action<RetryRule> configure)
        where TException : Exception
    {
        if (!_rules.TryGetValue(typeof(TException), out var rule))
            _rules[typeof(TException)] = rule = new();
        configure(rule);
        return this;
    }

    /// <summary>How this failure is treated. What a handler waited for in place comes wrapped in an <see cref="AggregateException"/>: then the first in it that a rule is about decides.</summary>
    internal RetryTerms TermsFor(Exception failure) => TermsOf(
        RuleOf(failure)
        ?? (failure as AggregateException)?.Flatten().InnerExceptions.Select(RuleOf).FirstOrDefault(rule => rule is not null)
        ?? _rules.GetValueOrDefault(typeof(Exception))
        ?? new());

    internal RetryTerms TermsOf(RetryRule rule) => new(
        rule.Immediate ?? Immediate,
        rule.ImmediateDelay ?? ImmediateDelay,
        rule.MaxDeliveries ?? MaxDeliveries,
        rule.Delay ?? Delay,
        rule.MaxDelay ?? MaxDelay,
        rule.DeadLetterReason);

    // A rule for all exceptions is about those that no other is about.
    private RetryRule? RuleOf(Exception failure)
    {
        for (var type = failure.GetType(); type != typeof(Exception); type = type.BaseType!)
        {
            if (_rules.TryGetValue(type, out var rule))
                return rule;
        }

        return null;
    }

    private IEnumerable<RetryTerms> All() => _rules.Values.Select(TermsOf).Prepend(Terms);
}
