namespace Holdfast.Consumer;

/// <summary>Reads what an exception says of itself. That of a stranger runs the stranger's code for it, which may fail as well.</summary>
internal static class ErrorText
{
    public static string Of(Exception error) => Read(error, static error => error.Message) ?? "";

    public static string WithType(Exception error) => $"{error.GetType().Name}: {Of(error)}";

    public static string? StackOf(Exception error) => Read(error, static error => error.StackTrace);

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
