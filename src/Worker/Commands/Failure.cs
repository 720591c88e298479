namespace Holdfast.Worker.Commands;

/// <summary>A command can't do what it was asked for; it says why and what to do in a line, and with which exit code it ends.</summary>
internal sealed class Failure(string message, int exitCode) : Exception(message)
{
    public int ExitCode => exitCode;
}
