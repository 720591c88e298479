namespace Holdfast.Lab.Leases;

/// <summary>One line of the tables: a run, what was published of it, and how long it may take.</summary>
internal sealed record Row(string Name, Run Run, Published? Published = null)
{
    /// <summary>How many times what the CPU alone needs it may take at the most; null where nothing was promised.</summary>
    public double? Bound { get; init; }

    /// <summary>Whether it is short enough, told faster, to be run in real time as well.</summary>
    public bool HasReal { get; init; }

    /// <summary>What the CPU alone needs on so many threads, in seconds.</summary>
    public double CpuAlone => Run.Story.CpuAlone.TotalSeconds / Run.Threads;
}

/// <summary>What was published of a run, in its own words.</summary>
internal sealed record Published(string Total, string Message, string Lost);
