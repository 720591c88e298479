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
}
