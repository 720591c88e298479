using Azure.Core;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Worker.Settings;

/// <summary>How Service Bus is used. Where it is, and who we are there, is the connection string or the namespace.</summary>
internal sealed class ServiceBusOptions
{
    public ServiceBusTransport Transport { get; set; }

    public bool? Sessions { get; set; }

    public string? SessionId { get; set; }

    public int MaxSessions { get; set; } = 8;

    public TimeSpan SessionIdleTime { get; set; } = TimeSpan.FromSeconds(5);

    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public string? CaFile { get; set; }

    /// <summary>The same for the broker itself.</summary>
    public ServiceBusBrokerOptions With(string? connectionString, string? host, TokenCredential? credential, bool findsSessionsOut, TimeProvider time) => new()
    {
        ConnectionString = connectionString,
        FullyQualifiedNamespace = host,
        Credential = credential,
        Transport = Transport,
        Sessions = findsSessionsOut ? Sessions : Sessions ?? (SessionId is not null),
        SessionId = SessionId,
        MaxSessions = MaxSessions,
        SessionIdleTime = SessionIdleTime,
        OperationTimeout = OperationTimeout,
        CaFile = CaFile,
        TimeProvider = time,
    };
}
