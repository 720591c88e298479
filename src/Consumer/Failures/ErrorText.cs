using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Reads what an exception says of itself. That of a stranger runs the stranger's code for it, which may fail as well.</summary>
internal static class ErrorText
{
    private const int MostCauses = 5;

    // As much as a dead letter tells. Many a client puts a whole answer into what it throws, and thousands of lines may wait for a log that is slow.
    private const int Longest = 2048;

    private const string Aftermath = "Holdfast.Aftermath";

    public static string Of(Exception error) => Excerpt.Of(Read(error, static error => error.Message) ?? "", Longest);

    public static string WithType(Exception error) => $"{error.GetType().Name}: {WithCauses(error)}";

    /// <summary>Many a client wraps what went wrong, and says no more of it than that something did.</summary>
    public static string WithCauses(Exception error)
    {
        var text = Of(error);
        var (cause, causes) = (CauseOf(error), 0);
        for (; cause is not null && causes < MostCauses; (cause, causes) = (CauseOf(cause), causes + 1))
        {
            var its = Of(cause);
            if (!text.Contains(its, StringComparison.Ordinal))
                text += $" <- {cause.GetType().Name}: {its}";
        }

        return Read(error, static error => error.Data[Aftermath] as string) is { Length: > 0 } after ? $"{text} (then {after})" : text;
    }

    /// <summary>What went wrong after it, and would else be told by nobody, is told with it.</summary>
    public static void Append(Exception error, Exception later)
    {
        var after = WithType(later);
        Read(error, error => (error.Data[Aftermath] = after) as string);
    }

    public static string? StackOf(Exception error) => Read(error, static error => error.StackTrace);

    // Ours say all that is to be said, and a cancellation says nothing.
    private static Exception? CauseOf(Exception error) => error is BrokerException || error.InnerException is OperationCanceledException ? null : error.InnerException;

    private static string? Read(Exception error, Func<Exception, string?> read)
    {
        try
        {
            return read(error);
        }
        catch (Exception unreadable)
        {
            return $"(can't be read: {unreadable.GetType().Name})";
        }
    }
}
