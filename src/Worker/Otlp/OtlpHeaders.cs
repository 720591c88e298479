using System.Net.Http.Headers;

namespace Holdfast.Worker.Otlp;

/// <summary>Reads the headers that telemetry is sent with, as the standard has them: pairs first, then what is encoded in them, so that a value may hold a comma.</summary>
internal static class OtlpHeaders
{
    /// <exception cref="FormatException">They can't be sent. A value may be a secret, and so may what looks like a name: the cure shows neither.</exception>
    public static KeyValuePair<string, string>[] Read(string text)
    {
        KeyValuePair<string, string>[] pairs = [.. text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Select(Pair)];

        // Whoever sends them asks the same of them, with the first request.
        using var request = new HttpRequestMessage();
        for (var i = 0; i < pairs.Length; i++)
        {
            if (!CanBeSent(request.Headers, pairs[i]))
                throw new FormatException($"The header at place {i + 1} can't be sent; set a name without spaces, once, that is none of the body's, and a value of ASCII in one line.");
        }

        return pairs;
    }

    private static KeyValuePair<string, string> Pair(string pair)
    {
        var equals = pair.IndexOf('=', StringComparison.Ordinal);
        if (equals < 1)
            throw new FormatException("It is no list of headers; set pairs such as name=value,other=value.");

        var name = Text(pair[..equals]);
        return name.Equals("User-Agent", StringComparison.OrdinalIgnoreCase)
            ? throw new FormatException("The SDK sends a user-agent of its own; leave that one out.")
            : new(name, Text(pair[(equals + 1)..]));
    }

    private static string Text(string encoded) => Uri.UnescapeDataString(encoded.Trim()).Trim();

    private static bool CanBeSent(HttpRequestHeaders headers, KeyValuePair<string, string> pair)
    {
        try
        {
            headers.Add(pair.Key, pair.Value);
            return pair.Value.All(c => char.IsAscii(c) && !char.IsControl(c));
        }
        catch (Exception refused) when (refused is FormatException or ArgumentException or InvalidOperationException)
        {
            return false;
        }
    }
}
