namespace Holdfast.Measuring;

/// <summary>How numbers are written: three figures are enough to read and few enough to compare.</summary>
internal static class Number
{
    public static string Show(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 10 => $"{value:0.00}",
        < 100 => $"{value:0.0}",
        _ => $"{value:#,0}",
    };

    /// <summary>A time, in the unit that suits it.</summary>
    public static string Seconds(double seconds) => Math.Abs(seconds) switch
    {
        < 0.001 => $"{Show(seconds * 1e6)} µs",
        < 1 => $"{Show(seconds * 1e3)} ms",
        _ => $"{Show(seconds)} s",
    };

    /// <summary>A round number, as it is.</summary>
    public static string Plain(double value) => $"{value:#,0.######}";
}
