using System.Globalization;

namespace Holdfast.Broker.ServiceBus;

/// <summary>The one token of a connection string that somebody else has signed. It ends when it ends.</summary>
internal sealed class SignedToken : ITokenSource
{
    private readonly Token _token;
    private readonly TimeProvider _time;

    /// <exception cref="FormatException">It does not tell when it ends.</exception>
    public SignedToken(string signature, TimeProvider time)
    {
        _token = new Token(Token.SharedAccess, signature, ExpiryOf(signature));
        _time = time;
    }

    public string Cure => $"Set a SharedAccessSignature in {Problems.Setting} that is not expired, and is for this namespace or entity.";

    public bool CanRenew => false;

    public ValueTask<Token> GetAsync(string audience, CancellationToken cancel) =>
        _token.Expires > _time.GetUtcNow()
            ? ValueTask.FromResult(_token)
            : ValueTask.FromException<Token>(new BrokerException($"The SharedAccessSignature in {Problems.Setting} expired at {_token.Expires:u}. Set a new one.", isTransient: false));

    private static DateTimeOffset ExpiryOf(string signature)
    {
        var field = signature.Split(' ', '&').FirstOrDefault(field => field.StartsWith("se=", StringComparison.Ordinal));
        return field is not null && long.TryParse(field.AsSpan(3), NumberStyles.None, CultureInfo.InvariantCulture, out var seconds) && seconds <= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? DateTimeOffset.FromUnixTimeSeconds(seconds)
            : throw new FormatException("Its SharedAccessSignature does not tell when it expires (se=...).");
    }
}
