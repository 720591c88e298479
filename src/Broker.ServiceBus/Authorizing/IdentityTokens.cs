using Azure.Core;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Tokens of an identity in Entra ID.</summary>
internal sealed class IdentityTokens(TokenCredential credential, NamespaceAddress address) : ITokenSource
{
    private static readonly TokenRequestContext s_request = new(["https://servicebus.azure.net/.default"]);

    public string Cure => $"Give the identity the role Azure Service Bus Data Receiver on {address}, and Data Sender where it sends.";

    public bool CanRenew => true;

    public async ValueTask<Token> GetAsync(string audience, CancellationToken cancel)
    {
        try
        {
            var token = await credential.GetTokenAsync(s_request, cancel).ConfigureAwait(false);
            return new Token(Token.Jwt, token.Token, token.ExpiresOn);
        }
        catch (Exception problem) when (problem is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            // What an identity's endpoint can't do now it may do later, and nothing that it says tells the two apart.
            throw new BrokerException($"There is no token for {address} to be had ({Problems.Text(problem.Message)}). Check that the process has an identity.", isTransient: true, problem);
        }
    }
}
