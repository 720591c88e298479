namespace Holdfast.Lab.Leases;

/// <summary>A row and what became of it in virtual time.</summary>
internal sealed record Found(Row Row, Outcome Outcome)
{
    /// <summary>How many times what the CPU alone needs it took.</summary>
    public double Times => Outcome.Total / Row.CpuAlone;

    /// <summary>Whether it kept what was promised; null where nothing was.</summary>
    public bool? Holds => Row.Bound is { } bound ? Times <= bound && Outcome.Lost == 0 : null;
}

/// <summary>A row in virtual and in real time, told at the same pace.</summary>
internal sealed record Compared(Row Row, Outcome Virtual, Outcome Real)
{
    private const double Tolerance = 0.1;

    public double TotalRatio => Real.Total / Virtual.Total;

    public double? MessageRatio => Real.Mean / Virtual.Mean;

    /// <summary>
    /// Whether the two agree within a tenth: in the time for all and for one message, and in the part of the leases that was lost.
    /// Null where they need not: the real one runs at its own pace.
    /// </summary>
    public bool? Agrees => Row.Run.HasOwnPace
        ? null
        : Math.Abs(TotalRatio - 1) <= Tolerance
            && Math.Abs((MessageRatio ?? 1) - 1) <= Tolerance
            && Math.Abs(Real.Lost - Virtual.Lost) <= Tolerance * Row.Run.Story.Messages;
}
