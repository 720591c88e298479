using System.Text;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// Where a failure came from: the way to its innermost cause first, for that is where it happened, and behind it the ways of what wrapped it on. Bounded,
/// as it goes into a message's properties.
/// </summary>
internal static class StackText
{
    /// <summary>In bytes of UTF-8.</summary>
    internal const int Longest = 4096;

    private const int MostCauses = 100;

    // As .NET writes it.
    private const string Between = "\n   --- End of inner exception stack trace ---\n";

    public static string? Of(Exception error)
    {
        List<string> ways = [];
        var (cause, causes) = ((Exception?)error, 0);
        for (; cause is not null && causes <= MostCauses; (cause, causes) = (CauseOf(cause), causes + 1))
        {
            if (ErrorText.StackOf(cause) is { Length: > 0 } way)
                ways.Insert(0, way);
        }

        return ways switch
        {
            [] => null,
            [var only] => Excerpt.Of(only, Longest),
            [var innermost, .. var outer] => Both(innermost, string.Join(Between, outer)),
        };
    }

    // The way to a cause deep in somebody's client may be long, and the handler is named by what the client made of it.
    private static string Both(string innermost, string outer)
    {
        var least = Math.Min(Encoding.UTF8.GetByteCount(outer), Longest / 2);
        var first = Excerpt.Of(innermost, Longest - Between.Length - least);
        return first + Between + Excerpt.Of(outer, Longest - Between.Length - Encoding.UTF8.GetByteCount(first));
    }

    // What happened within a broker's client is told by its words; the way to them is the handler's.
    private static Exception? CauseOf(Exception error) => error is BrokerException ? null : error.InnerException;
}
