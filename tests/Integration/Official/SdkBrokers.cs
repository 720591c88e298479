using Holdfast.Broker.ServiceBus;
using Holdfast.Broker.ServiceBusSdk;
using Holdfast.Tests.Integration.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's client on a Service Bus of one test's own.</summary>
internal static class SdkBrokers
{
    public static ServiceBusSdkBroker NewSdkBroker(this PrivateNamespace server, bool sessions = false, string? sessionId = null, int maxSessions = 8, double idleSeconds = 5, string? key = null, string? entityPath = null, double patience = 30, TimeProvider? time = null) => new(new ServiceBusBrokerOptions
    {
        ConnectionString = server.Server.ConnectionString(entityPath, key: key),
        Sessions = sessions,
        SessionId = sessionId,
        MaxSessions = maxSessions,
        SessionIdleTime = TimeSpan.FromSeconds(idleSeconds),
        OperationTimeout = TimeSpan.FromSeconds(patience),
        TimeProvider = time ?? TimeProvider.System,
    });
}
