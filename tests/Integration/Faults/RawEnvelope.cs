using System.Buffers.Binary;
using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Tests.Integration;

/// <summary>AMQP properties as bytes of one's own: what no client would write.</summary>
internal sealed class RawEnvelope : IReadOnlyBasicProperties, IAmqpHeader
{
    private const ushort HeadersOnly = 0x2000;
    private const ushort MessageIdOnly = 0x0080;
    private const ushort BasicClass = 60;

    private readonly byte[] _bytes;

    /// <summary>One header.</summary>
    public RawEnvelope(string name, byte[] value)
        : this(Encoding.ASCII.GetBytes(name), value)
    {
    }

    public RawEnvelope(byte[] name, byte[] value) => _bytes = [.. Number(HeadersOnly), .. Number((uint)(1 + name.Length + value.Length)), (byte)name.Length, .. name, .. value];

    private RawEnvelope(byte[] bytes) => _bytes = bytes;

    public ushort ProtocolClassId => BasicClass;

    public string? AppId => null;

    public string? ClusterId => null;

    public string? ContentEncoding => null;

    public string? ContentType => null;

    public string? CorrelationId => null;

    public DeliveryModes DeliveryMode => default;

    public string? Expiration => null;

    public IDictionary<string, object?>? Headers => null;

    public string? MessageId => null;

    public bool Persistent => false;

    public byte Priority => 0;

    public string? ReplyTo => null;

    public PublicationAddress? ReplyToAddress => null;

    public AmqpTimestamp Timestamp => default;

    public string? Type => null;

    public string? UserId => null;

    /// <summary>A message's id and nothing else.</summary>
    public static RawEnvelope Named(byte[] id) => new([.. Number(MessageIdOnly), (byte)id.Length, .. id]);

    /// <summary>A text of so many letters.</summary>
    public static byte[] Text(int letters) => [(byte)'S', .. Number((uint)letters), .. Enumerable.Repeat((byte)'x', letters)];

    /// <summary>Lists within one another, so many.</summary>
    public static byte[] Lists(int depth) => [.. Enumerable.Range(0, depth).Reverse().SelectMany(inner => (byte[])[(byte)'A', .. Number((uint)(inner * (1 + sizeof(uint))))])];

    /// <summary>Tables within one another, so many, each under a name without a letter.</summary>
    public static byte[] Tables(int depth) => [.. Enumerable.Range(0, depth).Reverse().SelectMany(inner => (byte[])[(byte)'F', .. Number((uint)(inner * (2 + sizeof(uint)))), .. inner > 0 ? new byte[1] : []])];

    /// <summary>A decimal number with more digits behind the point than .NET has.</summary>
    public static byte[] Decimal() => [(byte)'D', 29, .. Number(1u)];

    public int GetRequiredBufferSize() => _bytes.Length;

    public int WriteTo(Span<byte> span)
    {
        _bytes.CopyTo(span);
        return _bytes.Length;
    }

    public bool IsAppIdPresent() => false;

    public bool IsClusterIdPresent() => false;

    public bool IsContentEncodingPresent() => false;

    public bool IsContentTypePresent() => false;

    public bool IsCorrelationIdPresent() => false;

    public bool IsDeliveryModePresent() => false;

    public bool IsExpirationPresent() => false;

    public bool IsHeadersPresent() => false;

    public bool IsMessageIdPresent() => false;

    public bool IsPriorityPresent() => false;

    public bool IsReplyToPresent() => false;

    public bool IsTimestampPresent() => false;

    public bool IsTypePresent() => false;

    public bool IsUserIdPresent() => false;

    private static byte[] Number(uint number)
    {
        var bytes = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, number);
        return bytes;
    }

    private static byte[] Number(ushort number)
    {
        var bytes = new byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16BigEndian(bytes, number);
        return bytes;
    }
}
