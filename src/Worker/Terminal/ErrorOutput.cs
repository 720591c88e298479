using System.Text;

namespace Holdfast.Worker.Terminal;

/// <summary>Standard error, which may be a full disk: what can't be written there is lost, and changes nothing else, the exit code least of all.</summary>
internal sealed class ErrorOutput(TextWriter error) : TextWriter
{
    public override Encoding Encoding => error.Encoding;

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
        catch (IOException)
        {
        }
    }
}
