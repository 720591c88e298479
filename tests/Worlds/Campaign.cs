using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>Plays the worlds of many seeds, on threads of its own, each on a core of its own. Its counts may be read by any thread.</summary>
internal sealed class Campaign(int first, long count)
{
    private long _taken = -1;
    private long _played;
    private long _events;
    private long _broken;

    public long Played => Volatile.Read(ref _played);

    public long Broken => Volatile.Read(ref _broken);

    /// <summary>What happened in all those worlds together.</summary>
    public long Events => Volatile.Read(ref _events);

    /// <summary>Plays them until all are done or the token is cancelled; tells of each broken one where it was found.</summary>
    public void Run(int threads, Action<Outcome> onBroken, CancellationToken stop)
    {
        var all = new Thread[threads];
        for (var i = 0; i < threads; i++)
        {
            var core = i;
            all[i] = new Thread(() => Play(core, onBroken, stop)) { Name = "worlds", IsBackground = true };
            all[i].Start();
        }

        foreach (var thread in all)
            thread.Join();
    }

    private void Play(int core, Action<Outcome> onBroken, CancellationToken stop)
    {
        Core.Stay(core);
        using var carriers = new Carriers(core);

        // One list for all: what a long world grows it to would be garbage of the expensive kind after each.
        List<Event> events = [];
        while (!stop.IsCancellationRequested && Interlocked.Increment(ref _taken) is var number && number < count)
        {
            events.Clear();
            var outcome = Simulator.Play(Planner.Plan((int)(first + number)), carriers, events);
            Interlocked.Add(ref _events, outcome.Events.Count);
            if (outcome.Violations.Count > 0)
            {
                Interlocked.Increment(ref _broken);
                onBroken(outcome);
            }

            Interlocked.Increment(ref _played);
        }
    }
}
