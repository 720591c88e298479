namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>What the broker has seen: operations by their names, such as renew-lock, renewed-locks, put-token, attach, send, transfer, settle/complete.</summary>
public sealed record ServiceBusStats(int OpenConnections, int OpenSessions, int OpenLinks, long ExpiredLocks, IReadOnlyDictionary<string, long> Counts)
{
    /// <summary>How often it was done.</summary>
    public long Of(string operation) => Counts.GetValueOrDefault(operation);
}
