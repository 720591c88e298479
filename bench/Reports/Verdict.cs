namespace Holdfast.Bench;

/// <summary>Whether a row's bound holds.</summary>
internal enum Verdict
{
    None,
    Holds,
    DoesNotHold,

    /// <summary>It did not, but others used so much CPU meanwhile that it may be their doing.</summary>
    MachineBusy,
}

/// <summary>How verdicts are found and written.</summary>
internal static class Verdicts
{
    private const double QuietEnough = 0.2;

    public static Verdict Of(Row row, double otherCpus) => row.Holds switch
    {
        null => Verdict.None,
        true => Verdict.Holds,
        false when !row.IsRelative && otherCpus > QuietEnough => Verdict.MachineBusy,
        false => Verdict.DoesNotHold,
    };

    public static string Text(this Verdict verdict) => verdict switch
    {
        Verdict.Holds => "holds",
        Verdict.DoesNotHold => "does not hold",
        Verdict.MachineBusy => "does not hold; machine busy",
        _ => "",
    };
}
