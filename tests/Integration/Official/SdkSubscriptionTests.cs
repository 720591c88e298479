using Holdfast.Tests.Integration.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Subscriptions through Microsoft's client, by a connection string that names the topic, as the portal gives it.</summary>
public sealed class SdkSubscriptionTests : SubscriptionContract
{
    private protected override IBroker NewBroker(PrivateNamespace server) => server.NewSdkBroker(entityPath: Topic);
}
