using System.Text;

namespace Holdfast.Worker.Terminal;

/// <summary>A standard stream that may be a full disk, or closed.</summary>
internal abstract class GuardedOutput(TextWriter output) : TextWriter
{
    public override Encoding Encoding => output.Encoding;

    public override void Write(char value) => Try(() => output.Write(value));

    public override void Write(string? value) => Try(() => output.Write(value));

    public override void WriteLine(string? value) => Try(() => output.WriteLine(value));

    public override void Flush() => Try(output.Flush);

    /// <summary>It takes nothing.</summary>
    protected abstract void OnUnwritable(Exception problem);

    private void Try(Action write)
    {
        try
        {
            write();
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            // Of a stream that is closed .NET says that access is denied.
            OnUnwritable(problem);
        }
    }
}
