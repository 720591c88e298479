namespace Holdfast.Broker.InMemory;

/// <summary>What goes wrong with the broker, by script: operations that are slow, fail or never answer, and a connection that is cut.</summary>
public sealed class Faults
{
    private readonly InMemoryBroker _broker;
    private volatile bool _isCut;
    private int _refusals;

    internal Faults(InMemoryBroker broker)
    {
        _broker = broker;
        Sends = new(broker, "send");
        Receives = new(broker, "receive") { AnswerTravels = false };
        Renewals = new(broker, "renewal");
        Settlements = new(broker, "settlement");
    }

    public OperationFaults Sends { get; }

    public OperationFaults Receives { get; }

    public OperationFaults Renewals { get; }

    public OperationFaults Settlements { get; }

    /// <summary>Whether the connection to the broker is cut for now.</summary>
    public bool IsCut => _isCut;

    /// <summary>Cuts the connection: waits and calls fail with a transient error until it is restored.</summary>
    public void Cut()
    {
        _isCut = true;
        _broker.Disconnect();
    }

    public void Restore() => _isCut = false;

    /// <summary>The broker gives the message up to others instead of renewing its lease, for the next so many leases.</summary>
    public void RefuseRenewals(int leases = int.MaxValue) => Volatile.Write(ref _refusals, leases);

    /// <summary>Makes everything work again.</summary>
    public void Heal()
    {
        Restore();
        RefuseRenewals(0);
        Sends.Heal();
        Receives.Heal();
        Renewals.Heal();
        Settlements.Heal();
    }

    internal static BrokerException ConnectionCut() => new("The connection to the in-memory broker is cut.", isTransient: true);

    internal bool RefusesRenewal() => Volatile.Read(ref _refusals) > 0 && Interlocked.Decrement(ref _refusals) >= 0;
}
