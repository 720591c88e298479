namespace Holdfast.Worker.Terminal;

/// <summary>Standard error: what can't be written there is lost, and changes nothing else, the exit code least of all.</summary>
internal sealed class ErrorOutput(TextWriter error) : GuardedOutput(error)
{
    protected override void OnUnwritable(Exception problem)
    {
    }
}
