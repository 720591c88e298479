using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>The engine's own settings, shared by all its queues.</summary>
public sealed class HoldfastOptions
{
    /// <summary>Threads that run handlers. Null: as many as the CPU quota allows, rounded down, at least one.</summary>
    public int? Threads { get; set; }

    /// <summary>One thread for everything, leases included, ordered by hand. No long turn can be outrun then.</summary>
    public bool SingleThread { get; set; }

    /// <summary>How many threads may stand in for blocked ones.</summary>
    public int MaxSpareThreads { get; set; } = LaneSchedulerOptions.DefaultSpareThreads;

    /// <summary>How much nicer than the rest of the process the handlers' threads are (0 to 19, Linux only; not with <see cref="SingleThread"/>).</summary>
    public int Niceness { get; set; }

    /// <summary>From when on a turn that holds its thread is reported, by name.</summary>
    public TimeSpan LongTurn { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Which message has the next turn among those of the same priority, of all queues.</summary>
    public TurnOrder TurnOrder { get; set; }

    /// <summary>How long a low-ranking message may wait for a turn before it is given some out of order.</summary>
    public TimeSpan Ageing { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long running handlers may go on after a stop is asked for; what is left then is given back.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(20);
}
