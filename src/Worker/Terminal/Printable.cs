using System.Globalization;
using System.Text;

namespace Holdfast.Worker.Terminal;

/// <summary>Makes text harmless on a terminal: one line, of bounded length, without anything that moves the cursor, colours or turns the text around.</summary>
internal static class Printable
{
    private const int Longest = 4_000;

    public static string OneLine(string text)
    {
        var line = Cut(text, Longest).ReplaceLineEndings(" ");
        foreach (var rune in line.EnumerateRunes())
        {
            if (IsHarmful(rune))
                return Escape(line);
        }

        return line;
    }

    /// <summary>The text, or its beginning: at most so many characters, and no half of one.</summary>
    public static string Cut(string text, int most) =>
        text.Length <= most ? text : text[..(most - (char.IsHighSurrogate(text[most - 1]) ? 1 : 0))] + "...";

    /// <summary>The text, or its end: at most so many characters, and no half of one.</summary>
    public static string CutBeginning(string text, int most) =>
        text.Length <= most ? text : "..." + text[^(most - (char.IsLowSurrogate(text[^most]) ? 1 : 0))..];

    private static string Escape(string line)
    {
        var escaped = new StringBuilder(line.Length + 16);
        foreach (var rune in line.EnumerateRunes())
        {
            if (!IsHarmful(rune))
                escaped.Append(rune);
            else if (rune.IsBmp)
                escaped.Append(CultureInfo.InvariantCulture, $"\\u{rune.Value:x4}");
            else
                escaped.Append(CultureInfo.InvariantCulture, $"\\U{rune.Value:x8}");
        }

        return escaped.ToString();
    }

    // Format characters are those that turn the direction of what follows, or can't be seen.
    private static bool IsHarmful(Rune rune) =>
        Rune.IsControl(rune) || Rune.GetUnicodeCategory(rune) is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
