namespace Holdfast.Broker.ServiceBus;

/// <summary>What AMQP travels on.</summary>
public enum ServiceBusTransport
{
    /// <summary>TLS on port 5671; without TLS, on port 5672, for the emulator.</summary>
    Tcp,

    /// <summary>WebSockets on port 443, for networks that close 5671.</summary>
    WebSockets,
}
