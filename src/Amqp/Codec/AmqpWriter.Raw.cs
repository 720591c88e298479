using System.Buffers.Binary;

namespace Holdfast.Amqp;

public sealed partial class AmqpWriter
{
    // Values without a constructor, most significant byte first.
    private void Put(byte value) => Take(1)[0] = value;

    private void Put(ushort value) => BinaryPrimitives.WriteUInt16BigEndian(Take(2), value);

    private void Put(uint value) => BinaryPrimitives.WriteUInt32BigEndian(Take(4), value);

    private void Put(ulong value) => BinaryPrimitives.WriteUInt64BigEndian(Take(8), value);

    private void Put(UInt128 value) => BinaryPrimitives.WriteUInt128BigEndian(Take(16), value);

    private void Put(float value) => BinaryPrimitives.WriteSingleBigEndian(Take(4), value);

    private void Put(double value) => BinaryPrimitives.WriteDoubleBigEndian(Take(8), value);

    private void Put(Guid value) => value.TryWriteBytes(Take(16), bigEndian: true, out _);

    private void Put(byte code, byte value)
    {
        var bytes = Take(2);
        bytes[0] = code;
        bytes[1] = value;
    }

    private void Put(byte code, uint value)
    {
        var bytes = Take(5);
        bytes[0] = code;
        BinaryPrimitives.WriteUInt32BigEndian(bytes[1..], value);
    }

    private void Put(byte code, ulong value)
    {
        var bytes = Take(9);
        bytes[0] = code;
        BinaryPrimitives.WriteUInt64BigEndian(bytes[1..], value);
    }
}
