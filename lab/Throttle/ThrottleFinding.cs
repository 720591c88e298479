namespace Holdfast.Lab.Throttle;

/// <summary>How the work is let run.</summary>
internal enum Throttling
{
    None,
    SchedulerPair,

    /// <summary>The same with one thread of the pool left over.</summary>
    NarrowSchedulerPair,
    Semaphore,
    Lanes,
}

/// <summary>So many items of so much CPU time each, in one piece or in turns with awaits between them.</summary>
internal sealed record ThrottleQuestion(Throttling Throttling, bool IsAsync, int Items, double ItemMilliseconds, int Turns);

/// <summary>When the pool first answered, how long it took to answer from then on at the median and at the most, and when all was done; in seconds.</summary>
internal sealed record ThrottleFinding(double First, double Median, double Most, double Finish);
