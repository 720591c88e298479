using System.Text;

namespace Holdfast.Amqp;

/// <summary>
/// Keeps one string for each of the few short names that come with every message (annotations, properties, content types).
/// Any thread may ask; it holds so many at most, however many a peer makes up.
/// </summary>
internal static class TextCache
{
    public const int LongestName = 48;

    private const int Slots = 512;

    private static readonly string?[] s_names = new string?[Slots];

    /// <summary>The bytes are known to be ASCII.</summary>
    public static string Get(ReadOnlySpan<byte> name)
    {
        ref var slot = ref s_names[Slot(name)];
        var known = Volatile.Read(ref slot);
        if (known is not null && Ascii.Equals(name, known))
            return known;

        var fresh = Encoding.ASCII.GetString(name);
        Volatile.Write(ref slot, fresh);
        return fresh;
    }

    private static uint Slot(ReadOnlySpan<byte> name)
    {
        var hash = 2166136261u;
        foreach (var letter in name)
            hash = (hash ^ letter) * 16777619u;
        return (hash ^ (hash >> 16)) % Slots;
    }
}
