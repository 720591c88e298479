using System.Buffers;
using System.Globalization;
using System.Text;

namespace Holdfast.Worker.Http;

/// <summary>Makes any text the value of a header: what could end it, or is not ASCII, is percent-encoded, as the CloudEvents binding for HTTP wants it.</summary>
internal static class HeaderText
{
    private const string Letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private const string Signs = "!#$&'()*+,-./:;<=>?@[\\]^_`{|}~";

    private static readonly SearchValues<char> s_plain = SearchValues.Create(Letters + Signs);
    private static readonly SearchValues<char> s_plainWithoutDot = SearchValues.Create(Letters + Signs.Replace(".", ""));
    private static readonly SearchValues<char> s_printable = SearchValues.Create(Letters + Signs + " \"%");

    public static string Encode(string text) => Encode(text, s_plain);

    /// <summary>The same, for a text that must not hold the dot which stands behind it in what is signed.</summary>
    public static string EncodeWithDots(string text) => Encode(text, s_plainWithoutDot);

    /// <summary>The same, for a text that is a header's value already, if its sender was right.</summary>
    public static string EncodeUnprintable(string text) => Encode(text, s_printable);

    /// <summary>Gives back a text that is a header's value as it stands.</summary>
    /// <exception cref="FormatException">It is none.</exception>
    public static string Check(string text) => !text.AsSpan().ContainsAnyExcept(s_printable)
        ? text
        : throw new FormatException("It holds what a header can't; set one line of ASCII, such as Bearer and a token.");

    private static string Encode(string text, SearchValues<char> plain)
    {
        if (!text.AsSpan().ContainsAnyExcept(plain))
            return text;

        var encoded = new StringBuilder(text.Length + 16);
        Span<byte> bytes = stackalloc byte[4];
        foreach (var rune in text.EnumerateRunes())
        {
            if (rune.IsAscii && plain.Contains((char)rune.Value))
            {
                encoded.Append((char)rune.Value);
                continue;
            }

            foreach (var one in bytes[..rune.EncodeToUtf8(bytes)])
                encoded.Append(CultureInfo.InvariantCulture, $"%{one:X2}");
        }

        return encoded.ToString();
    }
}
