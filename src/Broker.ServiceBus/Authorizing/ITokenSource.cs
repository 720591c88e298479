namespace Holdfast.Broker.ServiceBus;

/// <summary>Where tokens come from. Any thread.</summary>
internal interface ITokenSource
{
    /// <summary>Where it was set which namespace they are for.</summary>
    string Setting { get; }

    /// <summary>Who we are and where it was set, for the message that says that the broker does not let us in.</summary>
    string Cure { get; }

    /// <summary>When the last token ends that there will be; null where a later one lasts longer than an earlier one.</summary>
    DateTimeOffset? EndsAt { get; }

    /// <exception cref="BrokerException">There is none to be had.</exception>
    ValueTask<Token> GetAsync(string audience, CancellationToken cancel);
}
