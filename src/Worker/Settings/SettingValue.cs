using System.Globalization;

namespace Holdfast.Worker.Settings;

/// <summary>Reads one setting's text as the type that it is meant to have.</summary>
internal static class SettingValue
{
    private static readonly (string Suffix, double Seconds)[] s_units =
        [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400)];

    public static bool IsSimple(Type type) =>
        type.IsValueType || type == typeof(string);

    public static bool TryRead(string text, Type type, out object? value)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        value = type switch
        {
            _ when type == typeof(string) => text,
            _ when type == typeof(bool) => bool.TryParse(text, out var yes) ? yes : null,
            _ when type == typeof(byte) => byte.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var b) ? b : null,
            _ when type == typeof(int) => int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var i) ? i : null,
            _ when type == typeof(long) => long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var l) ? l : null,
            _ when type == typeof(double) => TryNumber(text, out var d) ? d : null,
            _ when type == typeof(TimeSpan) => TryDuration(text, out var t) ? t : null,
            _ when type.IsEnum => Enum.GetNames(type).FirstOrDefault(n => n.Equals(text, StringComparison.OrdinalIgnoreCase)) is { } name ? Enum.Parse(type, name) : null,
            _ => throw new NotSupportedException($"No setting can be a {type.Name}"),
        };
        return value is not null;
    }

    /// <summary>What would be right, for the person who wrote something else.</summary>
    public static string Expected(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return type switch
        {
            _ when type == typeof(bool) => "true or false",
            _ when type == typeof(byte) => $"a whole number, 0 to {byte.MaxValue}",
            _ when type == typeof(int) => $"a whole number, at most {int.MaxValue}",
            _ when type == typeof(long) => "a whole number",
            _ when type == typeof(double) => "a number, such as 0.5",
            _ when type == typeof(TimeSpan) => "a duration, such as 500ms, 20s, 5m, 24h or 00:00:20",
            _ when type.IsEnum => string.Join(" or ", Enum.GetNames(type)),
            _ => "text",
        };
    }

    /// <summary>A value as a person would set it.</summary>
    public static string Show(object value) => value switch
    {
        TimeSpan { Milliseconds: 0 } seconds => $"{seconds.TotalSeconds}s",
        TimeSpan other => $"{other.TotalMilliseconds}ms",
        _ => $"{value}",
    };

    // A bare number would be days to TimeSpan.Parse, and seconds to most people: so it is neither. 24:00:00 would be 24 days to it, and a day to all others.
    private static bool TryDuration(string text, out TimeSpan value)
    {
        value = default;
        if (text.Contains(':'))
            return TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out value);
        foreach (var (suffix, seconds) in s_units)
        {
            if (!text.EndsWith(suffix, StringComparison.OrdinalIgnoreCase) || !TryNumber(text[..^suffix.Length].TrimEnd(), out var number))
                continue;
            if (Math.Abs(number * seconds) >= TimeSpan.MaxValue.TotalSeconds)
                return false;
            value = TimeSpan.FromSeconds(number * seconds);
            return true;
        }

        return false;
    }

    // NaN and Infinity are numbers to .NET, whatever styles it is given; none of ours can be either.
    private static bool TryNumber(string text, out double value) =>
        double.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value) && double.IsFinite(value);
}
