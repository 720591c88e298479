using System.Buffers.Binary;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Lists within one another, deeper than any limit lets a writer go, as their bytes.</summary>
public static class NestedLists
{
    private const byte List32 = 0xd0;
    private const byte EmptyList = 0x45;
    private const int Head = 9;

    public static byte[] Of(int depth)
    {
        var bytes = new byte[(depth * Head) + 1];
        bytes[^1] = EmptyList;
        for (var at = 0; at < bytes.Length - 1; at += Head)
        {
            bytes[at] = List32;
            BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(at + 1), bytes.Length - at - 5);
            BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(at + 5), 1);
        }

        return bytes;
    }
}
