using System.Runtime.InteropServices;

namespace Holdfast.Consumer;

/// <summary>
/// The messages in hand that are completed, and with the broker to be settled: the broker may give one up to us again meanwhile.
/// Only a message that comes again asks, so they are noted only while such are in hand. Any thread; who comes and goes it is told one at a time.
/// </summary>
internal sealed class CompletedInHand
{
    private readonly Lock _gate = new();
    private readonly HashSet<Journey> _noted = [];

    // How many of them have that id. Most messages are alone with theirs, and need not be compared.
    private readonly Dictionary<string, int> _ids = new(StringComparer.Ordinal);
    private int _count;
    private int _comingAgain;

    /// <summary>A message is among those in hand.</summary>
    public void Enter(Journey journey, HashSet<Journey> inHand)
    {
        // This one is in sight before it looks for those that have completed, and they have completed before they look for such as this.
        if (!journey.ComesAgain || Interlocked.Increment(ref _comingAgain) > 1)
            return;

        foreach (var other in inHand)
        {
            if (other.HasCompleted)
                Note(other);
        }
    }

    /// <summary>A message has completed.</summary>
    public void Complete(Journey journey)
    {
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _comingAgain) > 0)
            Note(journey);
    }

    /// <summary>Whether one of them is the same message.</summary>
    public bool Contains(Journey journey)
    {
        lock (_gate)
            return _ids.ContainsKey(journey.Id) && _noted.Any(other => Sameness.AreOne(other.Lease.Delivery, journey.Lease.Delivery));
    }

    /// <summary>A message is not among those in hand any more. Its handler may have completed since it was taken from them.</summary>
    public void Leave(Journey journey, bool wasInHand)
    {
        if (wasInHand && journey.ComesAgain)
            Interlocked.Decrement(ref _comingAgain);
        if (Volatile.Read(ref _count) > 0)
            Forget(journey);
    }

    private void Note(Journey journey)
    {
        lock (_gate)
        {
            if (_noted.Add(journey))
                _ids[journey.Id] = _ids.GetValueOrDefault(journey.Id) + 1;
            _count = _noted.Count;
        }
    }

    private void Forget(Journey journey)
    {
        lock (_gate)
        {
            if (_noted.Remove(journey) && --CollectionsMarshal.GetValueRefOrNullRef(_ids, journey.Id) == 0)
                _ids.Remove(journey.Id);
            _count = _noted.Count;
        }
    }
}
