using System.Collections;
using System.Globalization;
using System.Text;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>Turns a message's properties into AMQP headers and back. Text arrives as bytes there; bytes are marked as such.</summary>
internal static class Headers
{
    private const int MillisecondsPerSecond = 1000;

    // Whoever looks into it does so by recursion, and JSON ends at 64.
    private const int Deepest = 32;
    private const string TooDeep = "(nested too deeply)";

    // A frame of headers has room for tens of thousands, and whoever looks at one looks at all that is in it.
    private const int MostValues = 4096;
    private const string TooMany = "(too many values)";
    private const int MostCounted = 1_000_000;
    private const int MostShown = 50;

    private static readonly long s_first = DateTimeOffset.MinValue.ToUnixTimeMilliseconds();
    private static readonly long s_last = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();
    private static readonly Dictionary<string, object?> s_none = [];
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <param name="headers">As the client has read them.</param>
    /// <param name="weight">About how many bytes of memory they take.</param>
    public static IReadOnlyDictionary<string, object?> Read(IDictionary<string, object?>? headers, out long weight)
    {
        weight = 0;
        if (headers is null)
            return s_none;

        var all = HeaderWeight.Of(headers);
        weight = all.Bytes;
        var properties = new ReadHeaders(headers, areTooMany: all.Values > MostValues);
        return properties.Count > 0 ? properties : s_none;
    }

    /// <summary>A header's value as a handler is to see it. What is not looked into is said, and sent on as it came.</summary>
    public static object? Value(object? value, bool areTooMany) =>
        areTooMany && value is IDictionary<string, object?> or IList<object?> ? TooMany : Value(value, Deepest);

    /// <exception cref="BrokerException">A property is of a kind that AMQP headers can't hold, is no number, has too long a name, or stands where the server wants something else.</exception>
    public static object? Write(string name, object? value)
    {
        var written = Written(Named(name), value);
        return !HeaderNames.IsOfFurtherQueues(name) || written is List<object?>
            ? written
            : throw new BrokerException(
                $"The property {name} is {(value is null ? "empty" : $"a {value.GetType().Name}")}, and RabbitMQ takes nothing there but a list of further queues that are to have the message; make it a List<object?> of their names, or give the property another name.",
                isTransient: false);
    }

    /// <summary>False where it is one that <see cref="Write"/> refuses.</summary>
    public static bool TryWrite(string name, object? value, out object? written)
    {
        try
        {
            written = Write(name, value);
            return true;
        }
        catch (BrokerException)
        {
            written = null;
            return false;
        }
    }

    /// <summary>A text, as it is on the wire or before; null where there is none.</summary>
    public static string? Text(IDictionary<string, object?>? headers, string name) =>
        headers is not null && headers.TryGetValue(name, out var value) ? Value(value, Deepest) as string : null;

    /// <summary>A whole number, whatever its width on the wire; null where there is none.</summary>
    public static long? Number(IDictionary<string, object?>? headers, string name) =>
        headers is not null && headers.TryGetValue(name, out var value)
            ? value switch
            {
                byte n => n,
                sbyte n => n,
                short n => n,
                ushort n => n,
                int n => n,
                uint n => n,
                long n => n,
                _ => null,
            }
            : null;

    /// <summary>How often something happened. A sender may have written it: it is never below nothing, nor so high that it can't be counted on.</summary>
    public static int? Count(IDictionary<string, object?>? headers, string name) =>
        Number(headers, name) is { } number ? (int)Math.Clamp(number, 0, MostCounted) : null;

    /// <summary>A time as its sender wrote it; null where that is beyond all calendars, as milliseconds are that stand where seconds belong.</summary>
    public static DateTimeOffset? Time(AmqpTimestamp time) =>
        Time(Math.Clamp(time.UnixTime, long.MinValue / MillisecondsPerSecond, long.MaxValue / MillisecondsPerSecond) * MillisecondsPerSecond);

    public static DateTimeOffset? Time(long milliseconds) =>
        milliseconds >= s_first && milliseconds <= s_last ? DateTimeOffset.FromUnixTimeMilliseconds(milliseconds) : null;

    private static object? Written(string name, object? value) => value switch
    {
        double number when !double.IsFinite(number) => throw NoNumber(name, number),
        float number when !float.IsFinite(number) => throw NoNumber(name, number),
        null or string or bool or byte or sbyte or short or ushort or int or uint or long or float or double or decimal => value,
        byte[] bytes => new BinaryTableValue(bytes),
        ReadOnlyMemory<byte> bytes => new BinaryTableValue(bytes.ToArray()),
        ulong number => number <= long.MaxValue ? (long)number : throw Unfit(name, number, "make it text"),
        DateTimeOffset time => new AmqpTimestamp(time.ToUnixTimeSeconds()),
        DateTime time => time.Kind != DateTimeKind.Unspecified ? Written(name, new DateTimeOffset(time)) : throw Unfit(name, "a DateTime of no zone (Kind)", "make it a DateTimeOffset"),
        Guid or Uri => value.ToString(),
        IReadOnlyDictionary<string, object?> table => table.ToDictionary(entry => Named(entry.Key), entry => Written(name, entry.Value)),
        IDictionary table => Written(name, table),
        IEnumerable list => list.Cast<object?>().Select(item => Written(name, item)).ToList(),
        _ => throw Unfit(name, $"a {value.GetType().Name}", "make it text, a number, bytes, a time, a list or a table"),
    };

    private static Dictionary<string, object?> Written(string name, IDictionary table)
    {
        var written = new Dictionary<string, object?>(table.Count);
        foreach (DictionaryEntry entry in table)
        {
            var key = entry.Key as string ?? throw Unfit(name, $"a table in which a {entry.Key.GetType().Name} is a name", "make the names text");
            written[Named(key)] = Written(name, entry.Value);
        }

        return written;
    }

    private static BrokerException Unfit(string name, object what, string cure) => new(
        string.Create(CultureInfo.InvariantCulture, $"The property {name} is {what}, which AMQP headers can't hold; {cure}."),
        isTransient: false);

    // The server can't read it, and ends the connection by which all is sent that anybody sends.
    private static BrokerException NoNumber(string name, double number) => new(
        string.Create(CultureInfo.InvariantCulture, $"The property {name} is {number}, for which RabbitMQ has no number; make it text, or leave it out."),
        isTransient: false);

    private static string Named(string name)
    {
        var length = Encoding.UTF8.GetByteCount(name);
        if (length <= Server.LongestShortText)
            return name;

        // It may be as long as a message, and no letter is cut in two.
        var shown = char.IsHighSurrogate(name[MostShown - 1]) ? MostShown - 1 : MostShown;
        throw new BrokerException($"A property's name is {length} bytes long, and AMQP headers take {Server.LongestShortText}; shorten it: {name[..shown]}...", isTransient: false);
    }

    private static object? Value(object? value, int depth) => value switch
    {
        byte[] bytes => Text(bytes),
        BinaryTableValue binary => binary.Bytes,
        AmqpTimestamp time => Time(time) is { } instant ? instant : time.UnixTime,
        IDictionary<string, object?> or IList<object?> when depth == 0 => TooDeep,
        IDictionary<string, object?> table => table.ToDictionary(entry => entry.Key, entry => Value(entry.Value, depth - 1)),
        IList<object?> list => list.Select(item => Value(item, depth - 1)).ToList(),
        _ => value,
    };

    // Some senders put bytes where text belongs: then they stay bytes.
    private static object Text(byte[] bytes)
    {
        try
        {
            return s_strict.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            return bytes;
        }
    }
}
