using System.Text;
using Holdfast.Amqp;

namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Makes values of every type of AMQP, the edges of each far more often than chance would: the same for the same seed.</summary>
internal sealed class RandomValues(Random random)
{
    private const int MostItems = 6;
    private const int DeepestValue = 5;

    // Around these a size or a count takes more bytes than before.
    private static readonly int[] s_lengths = [0, 1, 2, 3, 7, 31, 254, 255, 256, 257, 300];

    public object? Next(int depth = 0) => random.Next(depth < DeepestValue ? 10 : 6) switch
    {
        < 5 => Scalar(),
        5 => null,
        6 => List(depth),
        7 => Map(depth),
        8 => new Described(Descriptor(), Next(depth + 1)),
        _ => Array(depth),
    };

    public object Scalar() => random.Next(20) switch
    {
        0 => random.Next(2) == 0,
        1 => (byte)Bits(8),
        2 => (ushort)Bits(16),
        3 => (uint)Bits(32),
        4 => Bits(64),
        5 => (sbyte)Bits(8),
        6 => (short)Bits(16),
        7 => (int)Bits(32),
        8 => (long)Bits(64),
        9 => BitConverter.UInt32BitsToSingle((uint)Bits(32)),
        10 => BitConverter.UInt64BitsToDouble(Bits(64)),
        11 => new Decimal32((uint)Bits(32)),
        12 => new Decimal64(Bits(64)),
        13 => new Decimal128(new UInt128(Bits(64), Bits(64))),
        14 => Letter(),
        15 => new AmqpTimestamp((long)Bits(64)),
        16 => Id(),
        17 => Bytes(),
        18 => Text(),
        _ => Symbol(),
    };

    public Symbol Symbol() => new(string.Create(Length(), random, static (letters, random) =>
    {
        foreach (ref var letter in letters)
            letter = (char)random.Next(128);
    }));

    public string Text()
    {
        var text = new StringBuilder();
        for (var length = Length(); length > 0; length--)
            text.Append(random.Next(4) == 0 ? Letter() : new Rune(random.Next(' ', '~')));
        return text.ToString();
    }

    public byte[] Bytes()
    {
        var bytes = new byte[Length()];
        random.NextBytes(bytes);
        return bytes;
    }

    public object?[] List(int depth = 0) => Many(() => Next(depth + 1));

    public AmqpMap Map(int depth = 0)
    {
        var map = new AmqpMap();
        foreach (var key in Many(Scalar))
            map.TryAdd(key, Next(depth + 1));
        return map;
    }

    public AmqpFields Fields()
    {
        var map = new AmqpFields();
        foreach (var key in Many(Symbol))
            map.TryAdd(key, Next(depth: 2));
        return map;
    }

    public ApplicationProperties Properties()
    {
        var map = new ApplicationProperties();
        foreach (var key in Many(Text))
            map.TryAdd(key, Scalar());
        return map;
    }

    /// <summary>A number with as many bits as may be, each length of them as likely as the others.</summary>
    public ulong Bits(int most)
    {
        var bits = (ulong)random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
        var number = random.Next(6) switch
        {
            0 => ulong.MaxValue - (bits & 255),
            1 => (1UL << random.Next(64)) - (bits & 1),
            _ => bits,
        };
        return most == 64 ? number : number & ((1UL << most) - 1);
    }

    private object Array(int depth) => random.Next(24) switch
    {
        0 => Many(() => random.Next(2) == 0),
        1 => new UByteArray(Bytes()),
        2 => Many(() => (ushort)Bits(16)),
        3 => Many(() => (uint)Bits(32)),
        4 => Many(() => Bits(64)),
        5 => Many(() => (sbyte)Bits(8)),
        6 => Many(() => (short)Bits(16)),
        7 => Many(() => (int)Bits(32)),
        8 => Many(() => (long)Bits(64)),
        9 => Many(() => BitConverter.UInt32BitsToSingle((uint)Bits(32))),
        10 => Many(() => BitConverter.UInt64BitsToDouble(Bits(64))),
        11 => Many(() => new Decimal32((uint)Bits(32))),
        12 => Many(() => new Decimal64(Bits(64))),
        13 => Many(() => new Decimal128(new UInt128(Bits(64), Bits(64)))),
        14 => Many(Letter),
        15 => Many(() => new AmqpTimestamp((long)Bits(64))),
        16 => Many(Id),
        17 => Many(Bytes),
        18 => Many(Text),
        19 => Many(Symbol),
        20 => Many(() => List(depth + 1)),
        21 => Many(() => Map(depth + 1)),
        22 => new NestedArray(Many(() => depth < DeepestValue ? Array(depth + 1) : new NullArray(random.Next(9)))),
        _ => DescribedArray(depth),
    };

    private Described[] DescribedArray(int depth)
    {
        var descriptor = Descriptor();
        return random.Next(5) switch
        {
            0 => Many(() => new Described(descriptor, Text())),
            1 => Many(() => new Described(descriptor, (uint)Bits(32))),
            2 => Many(() => new Described(descriptor, List(depth + 1))),
            3 => Many(() => new Described(descriptor, Value: null)),
            _ => Many(() => new Described(descriptor, depth < DeepestValue ? Array(depth + 1) : new NullArray(random.Next(9)))),
        };
    }

    private object Descriptor() => random.Next(2) == 0 ? Bits(64) : Symbol();

    private Guid Id()
    {
        var bytes = new byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private Rune Letter()
    {
        var point = (uint)random.Next(0x110000 - 0x800);
        return new Rune(point < 0xd800 ? point : point + 0x800);
    }

    private int Length() => random.Next(4) == 0 ? s_lengths[random.Next(s_lengths.Length)] : random.Next(12);

    private T[] Many<T>(Func<T> one)
    {
        var many = new T[random.Next(40) == 0 ? random.Next(250, 260) : random.Next(MostItems)];
        for (var i = 0; i < many.Length; i++)
            many[i] = one();
        return many;
    }
}
