namespace Holdfast.Broker.ServiceBus;

/// <summary>Where tokens come from. Any thread.</summary>
internal interface ITokenSource
{
    /// <summary>Who we are and where it was set, for the message that says that the broker does not let us in.</summary>
    string Cure { get; }

    /// <summary>Whether a later token lasts longer than an earlier one.</summary>
    bool CanRenew { get; }

    /// <exception cref="BrokerException">There is none to be had.</exception>
    ValueTask<Token> GetAsync(string audience, CancellationToken cancel);
}
