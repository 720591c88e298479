namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Subscriptions through our client.</summary>
public sealed class SubscriptionTests : SubscriptionContract
{
    private protected override IBroker NewBroker(PrivateNamespace server) => server.NewBroker();
}
