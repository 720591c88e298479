using System.Buffers.Binary;
using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Spoils bytes in the ways that hurt decoders most: the same way for the same seed.</summary>
internal sealed class Mutator(Random random)
{
    public const int LongestInput = 8 * 1024;

    private const int MostChanges = 4;

    // Where signs and widths turn over.
    private static readonly byte[] s_edges = [0x00, 0x01, 0x02, 0x03, 0x7f, 0x80, 0xfe, 0xff];

    private static readonly uint[] s_sizes = [0, 1, 4, 255, 256, 65_535, 65_536, 1_048_576, 1_048_577, int.MaxValue, uint.MaxValue - 4, uint.MaxValue];

    private static readonly byte[] s_codes =
    [
        FormatCode.Described, FormatCode.Null, FormatCode.True, FormatCode.UInt0, FormatCode.List0, FormatCode.SmallUInt, FormatCode.UInt,
        FormatCode.Timestamp, FormatCode.Uuid, FormatCode.Char, FormatCode.Boolean, FormatCode.Decimal128, FormatCode.Binary8, FormatCode.Binary32,
        FormatCode.String8, FormatCode.String32, FormatCode.Symbol8, FormatCode.Symbol32, FormatCode.List8, FormatCode.List32, FormatCode.Map8,
        FormatCode.Map32, FormatCode.Array8, FormatCode.Array32,
    ];

    private readonly byte[] _scratch = new byte[LongestInput];
    private int _length;

    /// <summary>A spoilt copy, which holds until the next call.</summary>
    public ReadOnlyMemory<byte> Spoil(ReadOnlySpan<byte> original, ReadOnlySpan<byte> other)
    {
        _length = Math.Min(original.Length, LongestInput);
        original[.._length].CopyTo(_scratch);
        for (var changes = random.Next(1, MostChanges + 1); changes > 0; changes--)
            Change(other);
        return _scratch.AsMemory(0, _length);
    }

    private void Change(ReadOnlySpan<byte> other)
    {
        if (_length == 0)
        {
            Splice(other);
            return;
        }

        var at = random.Next(_length);
        switch (random.Next(10))
        {
            case 0:
                _scratch[at] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                _scratch[at] = (byte)random.Next(256);
                break;
            case 2:
                _scratch[at] = s_edges[random.Next(s_edges.Length)];
                break;
            case 3:
                _scratch[at] = s_codes[random.Next(s_codes.Length)];
                break;
            case 4:
                _scratch[at] += (byte)(random.Next(2) == 0 ? 1 : -1);
                break;
            case 5:
                _length = at;
                break;
            case 6:
                Remove(at, random.Next(1, 9));
                break;
            case 7:
                Insert(at, _scratch.AsSpan(at, Math.Min(random.Next(1, 33), _length - at)).ToArray());
                break;
            case 8 when at + 4 <= _length:
                BinaryPrimitives.WriteUInt32BigEndian(_scratch.AsSpan(at), s_sizes[random.Next(s_sizes.Length)]);
                break;
            default:
                Splice(other);
                break;
        }
    }

    private void Splice(ReadOnlySpan<byte> other)
    {
        if (other.IsEmpty)
            return;
        var from = random.Next(other.Length);
        Insert(random.Next(_length + 1), other.Slice(from, random.Next(1, Math.Min(64, other.Length - from) + 1)));
    }

    private void Insert(int at, ReadOnlySpan<byte> bytes)
    {
        if (_length + bytes.Length > LongestInput)
            return;
        _scratch.AsSpan(at, _length - at).CopyTo(_scratch.AsSpan(at + bytes.Length));
        bytes.CopyTo(_scratch.AsSpan(at));
        _length += bytes.Length;
    }

    private void Remove(int at, int count)
    {
        count = Math.Min(count, _length - at);
        _scratch.AsSpan(at + count, _length - at - count).CopyTo(_scratch.AsSpan(at));
        _length -= count;
    }
}
