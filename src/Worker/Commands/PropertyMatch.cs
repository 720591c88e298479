using System.Globalization;
using Holdfast.Consumer;
using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Commands;

/// <summary>Whether a property has the value that a person wrote: in any way in which the commands show it, or that means the same.</summary>
internal static class PropertyMatch
{
    /// <summary>What a property without a value is shown as.</summary>
    public const string Nothing = "null";

    public static bool Is(object? value, string written) => IsText(value, written) || value switch
    {
        null => written == Nothing,
        bool yes => bool.TryParse(written, out var wanted) && wanted == yes,
        DateTimeOffset time => IsTime(time, written),
        DateTime time => IsTime(time, written),
        float number => float.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var wanted) && wanted == number,
        double number => double.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var wanted) && wanted == number,
        byte or sbyte or short or ushort or int or uint or long or ulong or decimal =>
            decimal.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var wanted) && wanted == Convert.ToDecimal(value, CultureInfo.InvariantCulture),
        _ => false,
    };

    private static bool IsText(object? value, string written)
    {
        try
        {
            return PropertyText.Of(value) == written;
        }
        catch (UnreadableMessageException)
        {
            // What is too deep for JSON nobody can write down, and the other messages are to be looked at all the same.
            return false;
        }
    }

    // A list shows no part of a second, and so a time without one means all of it.
    private static bool IsTime(DateTimeOffset time, string written) =>
        DateTimeOffset.TryParse(written, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var wanted)
        && (wanted == time || (wanted.Ticks % TimeSpan.TicksPerSecond == 0 && wanted.ToUnixTimeSeconds() == time.ToUnixTimeSeconds()));
}
