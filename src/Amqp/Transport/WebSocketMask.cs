using System.Numerics;
using System.Runtime.InteropServices;

namespace Holdfast.Amqp;

/// <summary>The mask that a client lays over what it sends, so that no proxy takes it for a request of its own. Any thread.</summary>
internal static class WebSocketMask
{
    /// <param name="mask">Four bytes, repeated as often as needed.</param>
    /// <param name="source">What is masked.</param>
    /// <param name="target">Where it goes; at least as long.</param>
    public static void Apply(ReadOnlySpan<byte> mask, ReadOnlySpan<byte> source, Span<byte> target)
    {
        var wide = new Vector<uint>(MemoryMarshal.Read<uint>(mask));
        var at = 0;
        for (; at <= source.Length - Vector<byte>.Count; at += Vector<byte>.Count)
            (new Vector<byte>(source[at..]) ^ Vector.AsVectorByte(wide)).CopyTo(target[at..]);
        for (; at < source.Length; at++)
            target[at] = (byte)(source[at] ^ mask[at % mask.Length]);
    }
}
