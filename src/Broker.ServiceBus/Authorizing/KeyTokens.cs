namespace Holdfast.Broker.ServiceBus;

/// <summary>Tokens that we sign with a shared access key.</summary>
internal sealed class KeyTokens(SharedAccessKey key, TimeProvider time) : ITokenSource
{
    private static readonly TimeSpan s_lifetime = TimeSpan.FromHours(1);

    public string Setting => OptionRules.Connection;

    public string Cure => $"Check SharedAccessKeyName ('{key.Name}') and SharedAccessKey in {OptionRules.Connection}, and that the policy has the right to listen, or to send where that is needed.";

    public DateTimeOffset? EndsAt => null;

    public ValueTask<Token> GetAsync(string audience, CancellationToken cancel)
    {
        var expires = time.GetUtcNow() + s_lifetime;
        return ValueTask.FromResult(new Token(Token.SharedAccess, key.Sign(audience, expires), expires));
    }
}
