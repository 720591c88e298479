namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>A session of a queue: how many messages wait in it, and whether anybody holds it.</summary>
public sealed record QueueSession(string Id, int Waiting, bool Locked);
