namespace Holdfast.Worker.Http;

/// <summary>Tells what HTTP knows of a message's content encoding from what it does not.</summary>
internal static class ContentCodings
{
    // Spring sets it beside the packing of a text: gzip, UTF-8, and gzip:UTF-8 in former versions. It says nothing of how to unpack.
    private const string Charset = "utf-8";

    private static readonly char[] s_separators = [',', ':'];
    private static readonly string[] s_known = ["gzip", "deflate", "br", "zstd", "compress"];

    /// <summary>HTTP's own, in their order, and what else was said; all of it is that where HTTP alone could not unpack the body.</summary>
    public static (string? Codings, string? Other) Of(string? encoding)
    {
        if (string.IsNullOrEmpty(encoding))
            return default;

        var parts = encoding.ToLowerInvariant()
            .Split(s_separators, StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .ToLookup(part => s_known.Contains(part));
        return parts.Contains(true) && parts[false].All(part => part == Charset)
            ? (string.Join(", ", parts[true]), parts[false].FirstOrDefault())
            : (null, encoding);
    }
}
