using Holdfast.Broker.ServiceBus;
using Sdk = Azure.Messaging.ServiceBus;

namespace Holdfast.Broker.ServiceBusSdk;

/// <summary>Makes clients of Microsoft's, each with a connection of its own that ends with it.</summary>
internal sealed class Clients(ServiceBusBrokerOptions options)
{
    private readonly Sdk.ServiceBusClientOptions _terms = new()
    {
        TransportType = options.Transport == ServiceBusTransport.WebSockets ? Sdk.ServiceBusTransportType.AmqpWebSockets : Sdk.ServiceBusTransportType.AmqpTcp,

        // Whether to try again is the engine's to decide: it knows what is left of a lease. And a settlement that is told twice in silence tells at last of a lost lock.
        RetryOptions = new Sdk.ServiceBusRetryOptions { MaxRetries = 0, TryTimeout = options.OperationTimeout },
    };

    public Sdk.ServiceBusClient New() => options.ConnectionString is { } text
        ? new Sdk.ServiceBusClient(WithoutEntityPath(text), _terms)
        : new Sdk.ServiceBusClient(options.FullyQualifiedNamespace!, options.Credential!, _terms);

    // Its own check of the path does not know that a subscription or a dead-letter queue belongs to the entity that is named; ours does.
    private static string WithoutEntityPath(string text) =>
        string.Join(';', text.Split(';').Where(part => !part.TrimStart().StartsWith("EntityPath", StringComparison.OrdinalIgnoreCase)));
}
