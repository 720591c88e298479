using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Looks ten times a second at how the machine carries its work, lets each queue's Admission follow, ends the leases whose connection has ended, and tells of a broker that is reached again. On the lease thread, because a pool timer would come late just when it matters.</summary>
internal sealed class Pacer(LaneScheduler lanes, PoolGuard pool, IReadOnlyList<QueueRun> queues) : ITimedWork
{
    /// <summary>Room is looked for so often, at the least: what a rate lets in between two looks must fit into a burst of it.</summary>
    public const int LooksPerSecond = 10;

    private const double Smoothing = 0.5;
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1) / LooksPerSecond;

    private TimeSpan _last;
    private TimeSpan _wanted;
    private long _turns;
    private double _waiting;
    private TimeSpan _next;

    public TimeSpan RunDue(TimeSpan now)
    {
        if (now < _next)
            return _next;

        var load = Look(now);
        LaneActivity? activity = null;
        foreach (var queue in queues)
        {
            queue.TryEndSevered();
            queue.TellIfReached();
            queue.TellOfObstacle();

            // Whose load it is, or who keeps whom from asking, is no question with a single queue; to tell costs a look at all that is in hand.
            var isOverdue = queue.ReceiveTurn.IsOverdue(now);
            ThreadNeed? need = null;
            if (queues.Count > 1 && (isOverdue || load.IsTooMuch))
                need = queue.InHand.ThreadNeed(activity ??= lanes.Activity());
            if (isOverdue && need is { IsSlight: true })
                queue.ReceiveTurn.Hasten();
            queue.Admission.Adapt(load, queue.IsStrained, queue.Order, need);
            queue.Meter.Adapt();
            queue.Tracer.Adapt();
        }

        return _next = now + s_period;
    }

    private Load Look(TimeSpan now)
    {
        var turns = lanes.Turns;
        var elapsed = now - _last;

        // Turns that blocked and go on take CPU from those that have their seats: they wait for it too, only that nobody can order them.
        _waiting += (lanes.Queued(Lane.Process) + lanes.TurnsBeyondSeats - _waiting) * Smoothing;
        var wait = _waiting * (elapsed / Math.Max(1, turns - _turns));
        var load = new Load(lanes.Threads, _waiting, wait, CpuShare(elapsed), pool.Delay, lanes.AreThreadsScarce);
        (_last, _turns) = (now, turns);
        return load;
    }

    // Run by hand, the clock is not the CPU's: what waits then waits for the CPU.
    private double CpuShare(TimeSpan elapsed)
    {
        if (lanes.CpuTime is not { } burnt)
            return 1;

        // What others on this machine take from our threads is wanted no less for it. Threads that have gone take their waits with them.
        var wanted = burnt + lanes.WaitForCpu;
        var share = Load.ShareOf(wanted - _wanted, elapsed, lanes.Threads, lanes.Cpus);
        _wanted = wanted;
        return share;
    }
}
