using System.Buffers.Text;
using System.Text;
using System.Text.Json.Serialization;

namespace Holdfast.Bench;

/// <summary>
/// What every message says: its number, and when it was sent, in 256 bytes of JSON. MassTransit reads it as JSON;
/// whoever gets the bytes reads the two numbers where they are.
/// </summary>
internal sealed record Letter
{
    public const int Size = 256;

    private const int Digits = 20;
    private static readonly byte[] s_template = Encoding.ASCII.GetBytes(
        $$"""{"number":{{new string(' ', Digits)}},"sentAt":{{new string(' ', Digits)}},"text":"{{new string('x', Size - 78)}}"}""");

    private static readonly Range s_number = After("\"number\":");
    private static readonly Range s_sentAt = After("\"sentAt\":");

    [JsonPropertyName("number")]
    public int Number { get; init; }

    /// <summary>A timestamp of the machine's monotonic clock, which is one for all its processes.</summary>
    [JsonPropertyName("sentAt")]
    public long SentAt { get; init; }

    [JsonPropertyName("text")]
    public string Text { get; init; } = "";

    public static byte[] Write(int number, long sentAt)
    {
        byte[] body = [.. s_template];
        Write(body.AsSpan(s_number), number);
        Write(body.AsSpan(s_sentAt), sentAt);
        return body;
    }

    public static (int Number, long SentAt) Read(ReadOnlySpan<byte> body) => ((int)Read(body, s_number), Read(body, s_sentAt));

    private static Range After(string name)
    {
        var start = s_template.AsSpan().IndexOf(Encoding.ASCII.GetBytes(name)) + name.Length;
        return start..(start + Digits);
    }

    // At the end of its field: the blanks before a number are JSON too.
    private static void Write(Span<byte> field, long value)
    {
        Span<byte> digits = stackalloc byte[Digits];
        Utf8Formatter.TryFormat(value, digits, out var length);
        digits[..length].CopyTo(field[^length..]);
    }

    private static long Read(ReadOnlySpan<byte> body, Range field) =>
        Utf8Parser.TryParse(body[field].TrimStart((byte)' '), out long value, out _) ? value : throw new FormatException("No letter of ours.");
}
