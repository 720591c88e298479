using System.Text;

namespace Holdfast.Worker.Terminal;

/// <summary>Standard output, which may be a full disk, or closed: what can't be written there is told as just that.</summary>
internal sealed class CommandOutput(TextWriter output) : TextWriter
{
    public override Encoding Encoding => output.Encoding;

    public override void Write(char value) => Try(() => output.Write(value));

    public override void Write(string? value) => Try(() => output.Write(value));

    public override void WriteLine(string? value) => Try(() => output.WriteLine(value));

    public override void Flush() => Try(output.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (Exception problem) when (ErrorOutput.IsUnwritable(problem))
        {
            throw new OutputException(problem);
        }
    }
}
