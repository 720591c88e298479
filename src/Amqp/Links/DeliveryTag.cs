using System.Buffers.Binary;

namespace Holdfast.Amqp;

/// <summary>Our names for deliveries: their numbers, which are unique for as long as anything is unsettled. Any thread.</summary>
internal static class DeliveryTag
{
    public static byte[] Of(uint id)
    {
        var tag = new byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(tag, id);
        return tag;
    }
}
