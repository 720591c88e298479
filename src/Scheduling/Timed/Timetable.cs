using System.Collections.Immutable;

namespace Holdfast.Scheduling;

/// <summary>All timed work, and when the first of it is due. Its driver (the lease thread, the single worker or a test's hand) calls it from one thread at a time.</summary>
internal sealed class Timetable(Clock clock, Action<Exception> onCrash)
{
    private const long Never = long.MaxValue;

    private ImmutableArray<ITimedWork> _work = [];
    private long _due = Never;
    private long _runningSince = Never;
    private bool _hasCrashed;

    /// <summary>How long nothing will be due, unless it is woken.</summary>
    public TimeSpan UntilDue => !_hasCrashed && Volatile.Read(ref _due) is var due and not Never
        ? new TimeSpan(Math.Max(0, due - clock.Now.Ticks))
        : TimeSpan.MaxValue;

    /// <summary>For how long something has been due that did not come round; zero while all is well.</summary>
    public TimeSpan Silence
    {
        get
        {
            var since = Math.Min(Volatile.Read(ref _runningSince), Volatile.Read(ref _due));
            return new TimeSpan(Math.Max(0, clock.Now.Ticks - since));
        }
    }

    public void Add(ITimedWork work) => ImmutableInterlocked.Update(ref _work, static (all, added) => all.Add(added), work);

    /// <summary>Makes all of it due at once, with a full fence behind it. The driver is to be told by whoever calls this.</summary>
    public void Wake()
    {
        // What is overdue already stays so: its silence is not to start again.
        var now = clock.Now.Ticks;
        var due = Volatile.Read(ref _due);
        while (due > now && Interlocked.CompareExchange(ref _due, now, due) is var seen && seen != due)
            due = seen;
        Interlocked.MemoryBarrier();
    }

    /// <summary>Runs what is due. False once the work has crashed: it is not run again, and its silence grows for all to see.</summary>
    public bool RunDue()
    {
        if (UntilDue > TimeSpan.Zero)
            return !_hasCrashed;

        var now = clock.Now;
        Volatile.Write(ref _runningSince, now.Ticks);

        // A wake that comes while the work runs lowers the time again, and must not be overwritten.
        Interlocked.Exchange(ref _due, Never);
        var next = TimeSpan.MaxValue;
        try
        {
            foreach (var work in _work)
            {
                var due = work.RunDue(now);
                next = due < next ? due : next;
            }
        }
        catch (Exception crash)
        {
            _hasCrashed = true;
            onCrash(crash);
            return false;
        }

        Interlocked.CompareExchange(ref _due, next.Ticks, Never);
        Volatile.Write(ref _runningSince, Never);
        return true;
    }
}
