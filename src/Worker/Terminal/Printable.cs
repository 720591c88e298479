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
        return line.Any(IsHarmful) ? Escape(line) : line;
    }

    /// <summary>The text, or its beginning: at most so many characters, and no half of one.</summary>
    public static string Cut(string text, int most) =>
        text.Length <= most ? text : text[..(most - (char.IsHighSurrogate(text[most - 1]) ? 1 : 0))] + "...";

    private static string Escape(string line)
    {
        var escaped = new StringBuilder(line.Length + 16);
        foreach (var c in line)
        {
            if (IsHarmful(c))
                escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
            else
                escaped.Append(c);
        }

        return escaped.ToString();
    }

    // Format characters are those that turn the direction of what follows, or can't be seen.
    private static bool IsHarmful(char c) =>
        char.IsControl(c) || char.GetUnicodeCategory(c) is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
