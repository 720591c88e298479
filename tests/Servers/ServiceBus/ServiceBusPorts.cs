namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>The line that the broker prints when it is ready.</summary>
internal sealed record ServiceBusPorts(int Amqp, int? Amqps, int? Ws, int? Wss, int Control);
