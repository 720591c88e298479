using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Looks ten times a second at how the machine carries its work, lets each queue's Admission follow, and ends the leases whose connection has ended. On the lease thread, because a pool timer would come late just when it matters.</summary>
internal sealed class Pacer(LaneScheduler lanes, PoolGuard pool, IReadOnlyList<QueueRun> queues) : ITimedWork
{
    /// <summary>Room is looked for so often, at the least: what a rate lets in between two looks must fit into a burst of it.</summary>
    public const int LooksPerSecond = 10;

    private const double Smoothing = 0.5;
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1) / LooksPerSecond;

    private TimeSpan _last;
    private TimeSpan _cpu;
    private long _turns;
    private double _waiting;
    private TimeSpan _next;

    public TimeSpan RunDue(TimeSpan now)
    {
        if (now < _next)
            return _next;

        var load = Look(now);
        foreach (var queue in queues)
        {
            queue.TryEndSevered();
            queue.Admission.Adapt(load, queue.IsStrained, queue.Order);
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
        if (!lanes.HasThreads)
            return 1;

        var cpu = Environment.CpuUsage.TotalTime;
        var share = Load.ShareOf(cpu - _cpu, elapsed, lanes.Threads, CpuQuota.Cpus);
        _cpu = cpu;
        return share;
    }
}
