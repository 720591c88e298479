namespace Holdfast.Scheduling;

/// <summary>What waits in the three lanes, and what is next. Any thread; knows none.</summary>
internal sealed class LaneQueues
{
    private readonly FifoQueue _lease = new();
    private readonly RankedQueue _process = new();
    private readonly FifoQueue _receive = new();
    private LaneWorker[] _workers = [];
    private volatile ThreadSupply _supply;

    /// <summary>What may be given away of the Process lane.</summary>
    public ThreadSupply Supply
    {
        get => _supply;
        set => _supply = value;
    }

    /// <summary>Whether there is nothing that a thread may take.</summary>
    public bool IsEmpty => _lease.IsEmpty && _receive.IsEmpty && Supply switch
    {
        ThreadSupply.Ample => _process.Count == 0 && IsNoneKept,
        ThreadSupply.Scarce => !_process.HasBegun && IsNoneKept,
        ThreadSupply.Last => !Array.Exists(Workers, worker => worker.Strand is { IsQueued: true }),
        _ => true,
    };

    public bool HasSeveral => Supply == ThreadSupply.Ample ? _lease.Count + _process.Count + _receive.Count > 1 : !IsEmpty;

    /// <summary>Whether process work waits that no thread keeps for itself.</summary>
    public bool HasShared => _process.Count > 0;

    public int Count(Lane lane) => lane switch
    {
        Lane.Lease => _lease.Count,
        Lane.Process => _process.Count + Workers.Count(worker => !worker.Kept.IsEmpty),
        _ => _receive.Count,
    };

    private LaneWorker[] Workers => Volatile.Read(ref _workers);

    private bool IsNoneKept => Array.TrueForAll(Workers, worker => worker.Kept.IsEmpty);

    /// <summary>Tells of all workers there are, so that what one keeps can't wait for its long turn while another has nothing to do.</summary>
    public void Know(IEnumerable<LaneWorker> workers) => Volatile.Write(ref _workers, [.. workers]);

    /// <summary>Adds work to the Lease or the Receive lane, with a full fence behind it.</summary>
    public void Enqueue(Lane lane, Action rest, Postmark posted) => (lane == Lane.Lease ? _lease : _receive).Enqueue(rest, posted);

    /// <summary>
    /// Adds work to the Process lane, with a full fence behind it. A worker gives its own place: it keeps what is next anyway,
    /// but for a turn that changes the rank of all that the strand has in the queue, as its first does. True where it is kept.
    /// </summary>
    public bool Enqueue(Strand strand, in Work work, KeptWork? own)
    {
        if (own is not null && Supply <= ThreadSupply.Scarce && strand.KeepsRank && strand.Rank < _process.Best && own.TryPut(work))
            return true;

        _process.Enqueue(strand, work);
        Interlocked.MemoryBarrier();
        return false;
    }

    /// <summary>Whether work of this rank would be next for whoever keeps nothing better.</summary>
    public bool WouldBeNext(long rank, KeptWork own) => Supply == ThreadSupply.Ample && _lease.IsEmpty && rank < _process.Best && own.IsEmpty;

    /// <summary>Takes what is next: lanes in their order, and no look at a lower one while a higher one has something.</summary>
    public bool TryTake(KeptWork own, out Work work, out Lane lane)
    {
        lane = Lane.Lease;
        if (_lease.TryDequeue(out work))
            return true;

        lane = Lane.Process;
        if (TryTakeProcess(own, out work))
            return true;

        lane = Lane.Receive;
        return _receive.TryDequeue(out work);
    }

    /// <summary>Takes whatever is left, in no order; for when there are no workers any more.</summary>
    public bool TryTakeAny(out Work work) =>
        _lease.TryDequeue(out work) || _process.TryDequeue(out work) || TryTakeKept(out work) || _receive.TryDequeue(out work);

    /// <summary>Shares what a worker keeps: its turn has become long, or it has lost its seat.</summary>
    public void Share(KeptWork kept)
    {
        if (!kept.TryTake(out var work))
            return;

        _process.Return(work.Strand!, work);
        Interlocked.MemoryBarrier();
    }

    public void Age() => _process.Age();

    private bool TryTakeProcess(KeptWork own, out Work work)
    {
        var supply = Supply;
        if (supply > ThreadSupply.Scarce)
        {
            Share(own);
            work = default;
            return supply == ThreadSupply.Last && TryTakeOwn(out work);
        }

        if (own.TryTake(out work))
        {
            if (work.Strand!.Rank <= _process.Best)
                return true;
            _process.Return(work.Strand, work);
        }

        return (supply == ThreadSupply.Ample ? _process.TryDequeue(out work) : _process.TryDequeueBegun(out work)) || TryTakeKept(out work);
    }

    private bool TryTakeKept(out Work work)
    {
        work = default;
        foreach (var worker in Workers)
        {
            if (worker.Kept.TryTake(out work))
                return true;
        }

        return false;
    }

    private bool TryTakeOwn(out Work work)
    {
        work = default;
        foreach (var worker in Workers)
        {
            if (worker.Strand is { IsQueued: true } strand && _process.TryDequeue(strand, out work))
                return true;
        }

        return false;
    }
}
