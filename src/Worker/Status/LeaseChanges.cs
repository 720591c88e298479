using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>What a page that shows one list of leases needs to show another. Their order is not told: it follows from what each lease is.</summary>
internal sealed record LeaseChanges(IReadOnlyList<HeldLease> Come, IReadOnlyList<HeldLease> Changed, IReadOnlyList<long> Gone)
{
    public static LeaseChanges Between(IReadOnlyList<HeldLease> before, IReadOnlyList<HeldLease> now)
    {
        var gone = before.ToDictionary(lease => lease.Number);
        var (come, changed) = (new List<HeldLease>(), new List<HeldLease>());
        foreach (var lease in now)
        {
            if (!gone.Remove(lease.Number, out var old))
                come.Add(lease);
            else if (old != lease)
                changed.Add(lease);
        }

        return new(come, changed, [.. gone.Keys]);
    }
}
