using System.Text;

namespace Holdfast.Worker.Terminal;

/// <summary>Standard error, which may be a full disk, or closed: what can't be written there is lost, and changes nothing else, the exit code least of all.</summary>
internal sealed class ErrorOutput(TextWriter error) : TextWriter
{
    public override Encoding Encoding => error.Encoding;

    /// <summary>Whether it says that a stream takes nothing. Of one that is closed .NET says that access is denied.</summary>
    public static bool IsUnwritable(Exception problem) => problem is IOException or UnauthorizedAccessException;

    public override void Write(char value) => Try(() => error.Write(value));

    public override void Write(string? value) => Try(() => error.Write(value));

    public override void WriteLine(string? value) => Try(() => error.WriteLine(value));

    public override void Flush() => Try(error.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (Exception problem) when (IsUnwritable(problem))
        {
        }
    }
}
