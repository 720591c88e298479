namespace Holdfast.Broker.ServiceBus;

/// <summary>The one token of a connection string that somebody else has signed. It ends when it ends.</summary>
internal sealed class SignedToken(Token token, TimeProvider time) : ITokenSource
{
    public string Setting => OptionRules.Connection;

    public string Cure => $"Set a SharedAccessSignature in {OptionRules.Connection} that is not expired, and is for this namespace or entity.";

    public DateTimeOffset? EndsAt => token.Expires;

    public ValueTask<Token> GetAsync(string audience, CancellationToken cancel) =>
        token.Expires > time.GetUtcNow()
            ? ValueTask.FromResult(token)
            : ValueTask.FromException<Token>(new BrokerException(Over(token.Expires), isTransient: false));

    /// <summary>That it has ended, for a person.</summary>
    public static string Over(DateTimeOffset endedAt) => $"The SharedAccessSignature in {OptionRules.Connection} expired at {endedAt:u}. Set a new one.";
}
