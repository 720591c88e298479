using Holdfast.Tests.Integration.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Queues with sessions through Microsoft's client.</summary>
public sealed class SdkSessionTests : SessionContract
{
    private protected override IBroker NewBroker(PrivateNamespace server, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5, TimeProvider? time = null) =>
        server.NewSdkBroker(sessions: true, sessionId, maxSessions, idleSeconds, time: time);
}
