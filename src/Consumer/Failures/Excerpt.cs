using System.Text;

namespace Holdfast.Consumer;

/// <summary>Cuts a text that somebody else wrote to what a message's properties have room for.</summary>
internal static class Excerpt
{
    private const string Cut = "...";

    /// <summary>The text, or its beginning, in at most so many bytes of UTF-8.</summary>
    public static string Of(string text, int mostBytes)
    {
        if (Encoding.UTF8.GetByteCount(text) <= mostBytes)
            return text;

        var (left, end) = (mostBytes - Cut.Length, 0);
        foreach (var rune in text.EnumerateRunes())
        {
            left -= rune.Utf8SequenceLength;
            if (left < 0)
                break;
            end += rune.Utf16SequenceLength;
        }

        return text[..end] + Cut;
    }

    /// <summary>The same as <see cref="Of"/>, in one line.</summary>
    public static string OneLine(string text, int mostBytes) =>
        string.Concat(Of(text, mostBytes).Select(letter => char.IsControl(letter) ? ' ' : letter));
}
