using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Scheduling;

/// <summary>What waits in the three lanes, and which item is next. Any thread; knows none.</summary>
internal sealed class LaneQueues(int seats)
{
    private readonly ConcurrentQueue<IThreadPoolWorkItem> _lease = new();
    private readonly ConcurrentQueue<IThreadPoolWorkItem> _receive = new();

    public Seat[] Seats { get; } = [.. Enumerable.Range(0, seats).Select(index => new Seat(index))];

    public RankedQueue Process { get; } = new();

    public bool IsEmpty =>
        _lease.IsEmpty && Process.Count == 0 && _receive.IsEmpty && !Array.Exists(Seats, seat => seat.HasNext);

    public bool HasUrgent => !_lease.IsEmpty;

    public int Count(Lane lane) => lane switch
    {
        Lane.Lease => _lease.Count,
        Lane.Process => Process.Count + Seats.Count(seat => seat.HasNext),
        _ => _receive.Count,
    };

    public void Enqueue(Lane lane, IThreadPoolWorkItem item) => (lane == Lane.Lease ? _lease : _receive).Enqueue(item);

    /// <summary>Takes the next item for a seat: lanes in their order, and no look at a lower one while a higher one has something.</summary>
    public bool TryTake(Seat seat, [NotNullWhen(true)] out IThreadPoolWorkItem? item, out Lane lane)
    {
        lane = Lane.Lease;
        if (_lease.TryDequeue(out item))
            return true;

        lane = Lane.Process;
        if (TryTakeProcess(seat, out item))
            return true;

        lane = Lane.Receive;
        return _receive.TryDequeue(out item);
    }

    private bool TryTakeProcess(Seat seat, [NotNullWhen(true)] out IThreadPoolWorkItem? item)
    {
        if (seat.HasNext)
        {
            var rank = seat.NextRank;
            item = seat.TakeNext();
            if (item is not null && Process.WouldBeNext(rank))
                return true;
            if (item is not null)
                Process.Enqueue(item, rank);
        }

        return Process.TryDequeue(out item) || TryTakeOther(out item);
    }

    // A seat's next item must not wait for its long turn while this seat has nothing to do.
    private bool TryTakeOther([NotNullWhen(true)] out IThreadPoolWorkItem? item)
    {
        item = null;
        foreach (var other in Seats)
        {
            if ((item = other.TakeNext()) is not null)
                return true;
        }

        return false;
    }
}
