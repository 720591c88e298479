namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>A message as its queue keeps it. Its state is active, locked, deferred or scheduled.</summary>
public sealed record QueuedMessage(string Id, long SequenceNumber, int DeliveryCount, string? SessionId, string State);
