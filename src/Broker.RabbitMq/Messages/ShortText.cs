using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;
using System.Text.Unicode;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Cuts what AMQP calls a short string to what one has room for. A byte that is no UTF-8 is a letter of three bytes once it was read as text:
/// what came need not fit any more when it is sent on.
/// </summary>
internal static class ShortText
{
    private const int MostBytesOfLetter = 3;
    private const int BytesOfHash = 8;
    private const int Kept = Server.LongestShortText - 1 - (2 * BytesOfHash);

    /// <summary>The text; where it is too long its beginning, and a hash of all of it: what differed differs still, and the same is always cut to the same.</summary>
    [return: NotNullIfNotNull(nameof(text))]
    public static string? Fit(string? text)
    {
        if (text is null || text.Length <= Server.LongestShortText / MostBytesOfLetter || Encoding.UTF8.GetByteCount(text) <= Server.LongestShortText)
            return text;

        Utf8.FromUtf16(text, stackalloc byte[Kept], out var kept, out _);
        var hash = SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, BytesOfHash);
        return $"{text[..kept]}~{Convert.ToHexStringLower(hash)}";
    }
}
