using System.Security.Cryptography;
using System.Text;

namespace Holdfast.Worker.Http;

/// <summary>Signs requests as Standard Webhooks has it, so that its libraries, in any language, can tell that they are ours.</summary>
internal sealed class Signature(IReadOnlyList<byte[]> keys)
{
    public const string Id = "webhook-id";
    public const string Timestamp = "webhook-timestamp";
    public const string Name = "webhook-signature";

    private const string Prefix = "whsec_";
    private const int ShortestKey = 24;
    private const int LongestKey = 64;

    /// <exception cref="FormatException">What is set is no key.</exception>
    public static Signature Parse(string keys) => new([.. keys.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(Key)]);

    /// <summary>One signature for each key, so that the endpoint may know either of two while they change.</summary>
    public string Of(string id, string timestamp, ReadOnlySpan<byte> body)
    {
        var signed = new StringBuilder();
        Span<byte> hash = stackalloc byte[HMACSHA256.HashSizeInBytes];
        foreach (var key in keys)
        {
            using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, key);
            hmac.AppendData(Encoding.ASCII.GetBytes($"{id}.{timestamp}."));
            hmac.AppendData(body);
            hmac.GetHashAndReset(hash);
            signed.Append(signed.Length > 0 ? " v1," : "v1,").Append(Convert.ToBase64String(hash));
        }

        return signed.ToString();
    }

    private static byte[] Key(string text)
    {
        var key = new byte[LongestKey];
        return text.StartsWith(Prefix, StringComparison.Ordinal) && Convert.TryFromBase64String(text[Prefix.Length..], key, out var length) && length >= ShortestKey
            ? key[..length]
            : throw new FormatException($"It is no signing key; set {Prefix} and behind it {ShortestKey} to {LongestKey} random bytes in base64, or several such keys with spaces between them.");
    }
}
