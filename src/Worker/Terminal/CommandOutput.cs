namespace Holdfast.Worker.Terminal;

/// <summary>Standard output: what can't be written there is told as just that.</summary>
internal sealed class CommandOutput(TextWriter output) : GuardedOutput(output)
{
    protected override void OnUnwritable(Exception problem) => throw new OutputException(problem);
}
