namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>How many messages a queue has in each state.</summary>
public sealed record QueueCounts(int Active, int Locked, int Deferred, int Scheduled, int DeadLettered)
{
    public int Total => Active + Locked + Deferred + Scheduled + DeadLettered;
}
