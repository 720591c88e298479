using Azure.Core;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Tokens of an identity in Entra ID.</summary>
internal sealed class IdentityTokens(TokenCredential credential, NamespaceAddress address, TimeSpan patience, TimeProvider time) : ITokenSource
{
    private static readonly TokenRequestContext s_request = new(["https://servicebus.azure.net/.default"]);

    public string Setting => OptionRules.Namespace;

    public string Cure => $"Give the identity the role Azure Service Bus Data Receiver on {address}, and Data Sender where it sends.";

    public DateTimeOffset? EndsAt => null;

    public async ValueTask<Token> GetAsync(string audience, CancellationToken cancel)
    {
        using var enough = new CancellationTokenSource(patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(enough.Token, cancel);
        try
        {
            // Not every credential heeds its token, and some block their thread: it must not be ours, for others wait for what we hold.
            var asked = Task.Factory.StartNew(
                () => credential.GetTokenAsync(s_request, either.Token).AsTask(),
                either.Token,
                TaskCreationOptions.DenyChildAttach,
                TaskScheduler.Default);
            var token = await asked.Unwrap().WaitAsync(either.Token).ConfigureAwait(false);
            return new Token(Token.Jwt, token.Token, token.ExpiresOn);
        }
        catch (OperationCanceledException) when (enough.IsCancellationRequested && !cancel.IsCancellationRequested)
        {
            throw new BrokerException($"There is no token for {address} to be had: the credential has not answered for {patience.TotalSeconds:0} s. Check that the process has an identity, and that it reaches who gives its tokens.", isTransient: true);
        }
        catch (Exception problem) when (problem is not OperationCanceledException || !cancel.IsCancellationRequested)
        {
            // What an identity's endpoint can't do now it may do later, and nothing that it says tells the two apart.
            throw new BrokerException($"There is no token for {address} to be had ({Problems.Text(problem.Message)}). Check that the process has an identity.", isTransient: true, problem);
        }
    }
}
