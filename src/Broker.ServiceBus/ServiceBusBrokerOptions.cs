using Azure.Core;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Where the Service Bus namespace is, who we are there, and how its entities are used.</summary>
public sealed class ServiceBusBrokerOptions
{
    /// <summary>
    /// <c>Endpoint=sb://name.servicebus.windows.net/;SharedAccessKeyName=...;SharedAccessKey=...</c>, or with <c>SharedAccessSignature=...</c>;
    /// for the emulator with <c>UseDevelopmentEmulator=true</c>. This, or <see cref="FullyQualifiedNamespace"/> with a <see cref="Credential"/>.
    /// </summary>
    public string? ConnectionString { get; init; }

    /// <summary>The namespace's host, such as <c>name.servicebus.windows.net</c>, where a <see cref="Credential"/> says who we are.</summary>
    public string? FullyQualifiedNamespace { get; init; }

    /// <summary>Who we are in Entra ID: a managed identity, a workload identity, a developer's login.</summary>
    public TokenCredential? Credential { get; init; }

    public ServiceBusTransport Transport { get; init; }

    /// <summary>
    /// Whether queues and subscriptions require sessions: then each session's messages are handled one at a time, in order.
    /// Null finds it out for each of them; Microsoft's client, which can't, takes it for false.
    /// </summary>
    public bool? Sessions { get; init; }

    /// <summary>The one session to take, where they are required; null takes whichever are free.</summary>
    public string? SessionId { get; init; }

    /// <summary>How many sessions to hold at once, at most.</summary>
    public int MaxSessions { get; init; } = 8;

    /// <summary>How long a session may be without messages before it is given up, so that another one can be taken.</summary>
    public TimeSpan SessionIdleTime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>How long the broker may take to answer a request, other than one for which it has to wait itself.</summary>
    public TimeSpan OperationTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Certificates (PEM) of the authorities to trust instead of the machine's.</summary>
    public string? CaFile { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
