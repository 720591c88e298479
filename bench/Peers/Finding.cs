namespace Holdfast.Bench;

/// <summary>What a client process found.</summary>
internal sealed record Finding
{
    /// <summary>Time on the clock, time on all CPUs and bytes allocated, of all measured messages.</summary>
    public TimeSpan Elapsed { get; init; }

    public TimeSpan Cpu { get; init; }

    public long Bytes { get; init; }

    /// <summary>From publishing to the handler, in milliseconds, message by message.</summary>
    public double[] Latencies { get; init; } = [];

    /// <summary>How late a loop on the .NET pool was that is due each second, in milliseconds; overdue at the end, it counts with its age.</summary>
    public double[] PoolLateness { get; init; } = [];

    /// <summary>How late each renewal of a lease was, where there are leases.</summary>
    public double[]? LeaseLateness { get; init; }

    /// <summary>Messages whose handler ran to its end at least once.</summary>
    public int Handled { get; init; }

    /// <summary>Messages whose handler was begun more than once.</summary>
    public int BegunTwice { get; init; }

    /// <summary>Deliveries that were given back unbegun, by the consumer's own will; null where that is not counted.</summary>
    public long? GivenBack { get; init; }

    /// <summary>Leases that were lost while their message was still wanted; null where there are none.</summary>
    public long? Missed { get; init; }
}
