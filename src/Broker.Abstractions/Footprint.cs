namespace Holdfast.Broker;

/// <summary>About how many bytes of memory .NET takes for what a message carries. A few bytes on the wire may be dozens there.</summary>
public static class Footprint
{
    /// <summary>A number, a time, or whatever else is small, where any value may stand.</summary>
    public const int Small = 24;

    /// <summary>An entry's place in a table, with what such tables keep free for more.</summary>
    public const int Place = 48;

    public static long OfText(string text) => Small + (2L * text.Length);

    public static long OfBytes(int length) => Small + (long)length;

    /// <summary>Nothing weighs more than can be told.</summary>
    public static int Told(long weight) => (int)Math.Min(weight, int.MaxValue);

    // What lies in lists and tables is not looked at: only they who read them off the wire have them for themselves, and can tell.
    internal static int Of(Message message)
    {
        var weight = (long)message.Body.Length;
        if (message.Properties is Dictionary<string, object?> own)
        {
            // As almost all are: to look through it as what it is takes no enumerator from the heap.
            foreach (var (name, value) in own)
                weight += Of(name, value);
        }
        else
        {
            foreach (var (name, value) in message.Properties)
                weight += Of(name, value);
        }

        return Told(weight);
    }

    private static long Of(string name, object? value) => Place + OfText(name) + value switch
    {
        null => 0,
        string text => OfText(text),
        byte[] bytes => OfBytes(bytes.Length),
        ReadOnlyMemory<byte> bytes => OfBytes(bytes.Length),
        _ => Small,
    };
}
