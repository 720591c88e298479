using Microsoft.Extensions.Logging;

namespace Holdfast.Consumer;

/// <summary>
/// The leases of one queue whose settlements the broker has refused for a while, and that are tried again. What refuses one refuses most, and may do so for
/// hours: that is told when it begins and when it is over, and shown meanwhile. Any thread but the lease thread.
/// </summary>
internal sealed class PutOff(string queue, ILogger log)
{
    private readonly Lock _gate = new();
    private readonly HashSet<Lease> _leases = [];
    private int _count;
    private string _why = "";

    /// <summary>What the last of them waits for, while there are any.</summary>
    public string? Problem
    {
        get
        {
            lock (_gate)
                return _count == 0 ? null : $"{_count} {(_count == 1 ? "settlement is" : "settlements are")} put off: {_why}";
        }
    }

    /// <summary>A settlement was refused once more.</summary>
    public void Add(Lease lease, string why)
    {
        bool isFirst;
        lock (_gate)
        {
            _why = why;
            isFirst = _leases.Add(lease) && _leases.Count == 1;
            _count = _leases.Count;
        }

        if (isFirst)
            log.SettlingPutOff(lease.Delivery.Message.Id, queue, why);
    }

    /// <summary>A settlement has come to its end. Most were never put off, and cost a look.</summary>
    public void Remove(Lease lease)
    {
        if (Volatile.Read(ref _count) == 0)
            return;

        bool wasLast;
        lock (_gate)
        {
            wasLast = _leases.Remove(lease) && _leases.Count == 0;
            _count = _leases.Count;
        }

        if (wasLast)
            log.SettlingGoesOn(queue);
    }
}
