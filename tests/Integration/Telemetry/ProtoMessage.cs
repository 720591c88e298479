using System.Text;

namespace Holdfast.Tests.Integration.Telemetry;

/// <summary>A message in Protocol Buffers' encoding, as far as one needs to know it to find what is inside.</summary>
internal sealed class ProtoMessage
{
    private readonly List<(int Field, byte[] Bytes)> _fields = [];

    public ProtoMessage(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var key = Number(ref bytes);
            var length = (key & 7) switch
            {
                0 => SkipNumber(bytes),
                1 => 8,
                2 => (int)Number(ref bytes),
                5 => 4,
                var unknown => throw new FormatException($"There is no wire type {unknown}."),
            };
            _fields.Add(((int)(key >> 3), bytes[..length].ToArray()));
            bytes = bytes[length..];
        }
    }

    /// <summary>All that is found by following these fields, one inside the other.</summary>
    public IEnumerable<ProtoMessage> Inside(params int[] path) =>
        path.Aggregate<int, IEnumerable<ProtoMessage>>([this], (messages, field) => messages.SelectMany(message => message.Raw(field).Select(bytes => new ProtoMessage(bytes))));

    public string Text(int field) => Encoding.UTF8.GetString(Raw(field).Single());

    public string Hex(int field) => Convert.ToHexStringLower(Raw(field).SingleOrDefault() ?? []);

    private IEnumerable<byte[]> Raw(int field) => _fields.Where(one => one.Field == field).Select(one => one.Bytes);

    private static int SkipNumber(ReadOnlySpan<byte> bytes)
    {
        var rest = bytes;
        Number(ref rest);
        return bytes.Length - rest.Length;
    }

    private static ulong Number(ref ReadOnlySpan<byte> bytes)
    {
        var (value, shift) = (0UL, 0);
        while (true)
        {
            var next = bytes[0];
            bytes = bytes[1..];
            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
                return value;
            shift += 7;
        }
    }
}
