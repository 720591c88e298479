using Holdfast.Amqp;
using Holdfast.Tests.Kit.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

/// <summary>Bytes as people write them: in hexadecimal, spaced as they like, text between apostrophes.</summary>
internal static class Wire
{
    public static byte[] Bytes(string written)
    {
        var parts = written.Split('\'');
        return [.. parts.SelectMany((part, i) => i % 2 == 0 ? Convert.FromHexString(part.Replace(" ", "")) : System.Text.Encoding.UTF8.GetBytes(part))];
    }

    public static string Hex(ReadOnlySpan<byte> bytes) => Convert.ToHexStringLower(bytes);

    public static string Written(Action<AmqpWriter> write)
    {
        using var writer = new AmqpWriter();
        write(writer);
        return Hex(writer.Written);
    }

    /// <summary>Reads one value, which must be all there is, and shows it.</summary>
    public static string Read(string bytes) => Read(Bytes(bytes));

    public static string Read(byte[] bytes, AmqpLimits? limits = null)
    {
        var reader = new AmqpReader(bytes, limits ?? AmqpLimits.Default);
        var value = reader.ReadValue();
        Assert.True(reader.IsAtEnd, "it stopped before the end");
        return Shown.Of(value);
    }

    public static string Refusal(string bytes, AmqpLimits? limits = null) =>
        Assert.Throws<AmqpDecodeException>(() => Read(Bytes(bytes), limits)).Message;
}
